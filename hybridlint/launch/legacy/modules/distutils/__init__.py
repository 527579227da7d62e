"""``distutils``: versions, and helpers for files and programs. For building packages, use setuptools."""
