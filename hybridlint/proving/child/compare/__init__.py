"""Comparison of a block's runs: their differences, what explains these, where they begin, and in what words."""
