"""The arguments of traced functions: which are tensors, lists or settings, and their shapes."""
