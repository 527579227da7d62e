"""Changes between two calls of a block: settings, objects and parameters, found in its code and tried out."""
