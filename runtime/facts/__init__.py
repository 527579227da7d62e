"""What is known of operators and layers without running them. The linter imports this part alone; it needs no numpy."""
