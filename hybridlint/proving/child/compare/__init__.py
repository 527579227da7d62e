"""Comparison of a block's runs, and the verdict on the block."""
