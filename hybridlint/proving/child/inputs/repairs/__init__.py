"""Repairs: other inputs in place of those that a block refused, as its error or failing statement tells."""
