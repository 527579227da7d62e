"""Operators on sliding windows: convolutions, pooling, correlation."""
