"""What is MXNet's: operators, tensors, blocks and layers, and what Symbols make of them."""
