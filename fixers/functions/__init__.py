"""Fixers of calls of functions and methods."""
