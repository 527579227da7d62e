"""Fixers of loops over tensors."""
