"""The inputs of a block: their names, and specs, which describe them without their numbers."""
