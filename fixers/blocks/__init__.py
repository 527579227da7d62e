"""Fixers of blocks: their classes, children, attributes, parameters and outputs."""
