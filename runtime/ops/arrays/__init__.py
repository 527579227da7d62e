"""Operators that create, reduce, sort, reshape, join, cut and index arrays."""
