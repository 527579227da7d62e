"""Whether a class may stay eager: the classes that hold its blocks, and whether their graph is ever right."""
