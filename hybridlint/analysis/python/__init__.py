"""Functions of Python, its standard library and numpy."""
