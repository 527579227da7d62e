"""Calls of operators: which one a name means, what it gives, and what its Symbol form refuses."""
