"""Fixers of statements: branches, guards, `try`, autograd's scopes, statements without effect."""
