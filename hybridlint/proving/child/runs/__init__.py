"""Running a block: over which calls, in which ways, and what is observed."""
