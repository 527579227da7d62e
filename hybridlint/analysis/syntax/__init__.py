"""The semantics of each kind of statement and expression."""
