"""Data flow of functions: what binds each name, which reads each binding reaches, and what is live after a point."""
