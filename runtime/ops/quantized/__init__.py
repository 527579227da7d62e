"""Arithmetic on 8-bit integers that stand for numbers in a range, as MXNet's CPU kernels round it."""
