"""Stand-ins for modules that Python has removed, with the functions that projects use."""
