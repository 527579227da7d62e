"""Python's own functions, and those of numpy and of the standard library."""
