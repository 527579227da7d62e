"""Comparing runs of a block, and the verdict on it."""
