"""What fixers ask of code: whether a value is a tensor, shares memory, has a dtype or shape, can be left out."""
