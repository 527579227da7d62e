"""Inputs that a block takes, found where nobody has said them."""
