"""An abstract interpreter over `ast` that finds out which expressions are tensors, and their shapes."""
