"""Shapes of results that operators determine even if the shapes of their inputs are unknown."""
