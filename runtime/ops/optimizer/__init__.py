"""Operators that update weights, one for each optimizer."""
