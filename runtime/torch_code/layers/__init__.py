"""How each layer of Gluon is written in PyTorch, by families. The modules register functions when they are imported."""
