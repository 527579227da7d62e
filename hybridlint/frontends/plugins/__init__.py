"""The plugins of pytest and flake8."""
