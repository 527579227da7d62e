"""A file as text and as trees: its source, edits of it, rows of one version in another."""
