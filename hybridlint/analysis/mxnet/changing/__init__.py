"""Settings that code changes between calls, of which a graph keeps what it read at its trace."""
