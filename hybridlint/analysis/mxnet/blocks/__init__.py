"""Blocks and their parts: how they are built and called, what layers give, hooks, and which blocks stay eager."""
