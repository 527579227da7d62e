"""Fixers of operators, and of numbers and constants beside tensors."""
