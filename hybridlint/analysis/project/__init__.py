"""Modules, classes and their attributes, across files."""
