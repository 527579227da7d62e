"""``distutils``: versions, and helpers for files and programs. Building packages is setuptools' work."""
