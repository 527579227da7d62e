"""Comparison of a block's runs: their differences, the causes, the first differing call, and the words."""
