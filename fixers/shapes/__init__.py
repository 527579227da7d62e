"""Fixers of shapes and sizes read from tensors."""
