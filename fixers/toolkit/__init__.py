"""What fixers are made of: templates with concrete parts, parentheses, comments, layout, and edits of the text."""
