"""Random numbers, and densities of distributions."""
