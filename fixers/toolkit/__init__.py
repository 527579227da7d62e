"""Tools for fixers: templates with concrete parts, parentheses, comments, layout, and edits of the text."""
