"""What a block takes: the names of its inputs, and specs, which describe them without their numbers."""
