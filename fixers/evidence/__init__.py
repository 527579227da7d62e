"""Evidence in the code for fixers: whether a value is a tensor, shares memory, has a dtype, is unused."""
