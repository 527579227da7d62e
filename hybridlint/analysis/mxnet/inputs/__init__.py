"""What traced functions are given: which arguments are tensors, lists or settings, and their shapes."""
