"""Processes that this one starts: they end with it, however it ends."""
