"""What the source means: an abstract interpreter over `ast` that knows what is a tensor, and of which shape."""
