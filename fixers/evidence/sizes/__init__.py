"""Sizes and axes of tensors, inferred from a function's code and from the shape rules of operators."""
