"""Forward inputs that a block may accept, in the order in which they are tried: guesses, then repaired ones."""
