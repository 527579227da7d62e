"""What the code tells fixers: whether a value is a tensor, shares memory, has a dtype or shape, is unused."""
