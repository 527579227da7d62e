"""Facts about a block's inputs from its source: their names, kinds, numbers and axes."""
