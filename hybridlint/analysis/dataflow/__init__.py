"""Data flow of functions: bindings of names, the reads that each binding reaches, and names live after a point."""
