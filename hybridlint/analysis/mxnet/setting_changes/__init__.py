"""Settings that code changes between calls. A graph keeps the value that it read at its trace."""
