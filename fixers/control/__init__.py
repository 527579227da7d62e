"""Fixers of statements: branches, guards, attempts, autograd's scopes, statements without effect."""
