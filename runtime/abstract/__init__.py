"""Gluon's layers without arrays: their own source, run on types of tensors."""
