"""Forward inputs that a block may accept, in the order of their tries: guesses, then repaired inputs."""
