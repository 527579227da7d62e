"""The fix loop, which fixes are offered, and what a fix must leave in order."""
