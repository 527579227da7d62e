"""Which files are meant, how they are read, and how they are replaced."""
