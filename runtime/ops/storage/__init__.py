"""Kernels for arrays in sparse storage, which the definitions of operators name."""
