"""The project under analysis: its files, settings, documents, and how it adopts the linter."""
