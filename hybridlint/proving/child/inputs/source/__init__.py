"""What the source of a block tells of its inputs: their names, kinds, numbers and axes."""
