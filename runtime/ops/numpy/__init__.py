"""Operators of numpy mode: ``np`` and ``npx``, where they differ from those of the legacy interface."""
