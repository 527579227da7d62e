"""Whether a class may stay eager: what holds its blocks, and whether a graph of them would ever be right."""
