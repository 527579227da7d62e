"""Tools for fixers: code templates, libcst nodes, parentheses, comments, layout, and edits of the text."""
