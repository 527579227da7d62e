"""Where the analysis of a file begins: its blocks, and the functions that run at a trace or around one."""
