"""Analyses of how code flows: truth values, effects, and state that outlives a call."""
