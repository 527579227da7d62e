"""Engines, which turn graphs into executors: one folder each. `choice` finds the one to use."""
