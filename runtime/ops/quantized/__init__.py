"""Arithmetic on 8-bit integers that represent numbers in a range, as MXNet's CPU kernels round it."""
