"""One run of the interpreter: its state, its record of what it saw, and results it can reuse."""
