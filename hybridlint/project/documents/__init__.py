"""Documents with Python code in parts: notebooks, Markdown and reStructuredText, each read as one program."""
