"""The analyzed project: its modules, classes and their attributes, across files."""
