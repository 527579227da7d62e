"""Runs of a block: the calls, the ways to run them, and the observations."""
