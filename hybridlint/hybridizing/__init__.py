"""Blocks made hybrid: which can be, how they are rewritten, in what order, and the proof of the result."""
