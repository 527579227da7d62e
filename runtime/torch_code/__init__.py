"""Operators and layers as PyTorch code, a function each in `operators` and `layers`. Nothing here imports PyTorch."""
