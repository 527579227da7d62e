"""Building blocks: arguments of their constructors, and the modules that define them."""
