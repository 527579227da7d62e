"""Shapes of inputs that a symbolic graph of the block accepts; nothing is run."""
