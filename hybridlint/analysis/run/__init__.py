"""One run of the interpreter: its state, what it has seen, and what it need not go into again."""
