"""The writers of the brief: they read the source, once, for the process that runs the blocks."""
