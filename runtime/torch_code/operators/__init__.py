"""How each operator is written in PyTorch, by families. The modules register their functions when they are imported."""
