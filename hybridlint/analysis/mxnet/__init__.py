"""MXNet's semantics: operators, tensors, blocks and layers, for NDArrays and Symbols."""
