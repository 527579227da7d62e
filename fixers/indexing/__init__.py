"""Fixers of subscripts: reads and writes of parts of tensors."""
