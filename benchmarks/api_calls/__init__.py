"""Common calls of the library, for speed.py. Both interpreters run these files, so they stay within Python 3.8."""

import importlib

from api_calls.table import CASES

__all__ = ["CASES"]

#: Modules that add calls to the table, in its order.
_GROUPS = (
    "tiny_arrays",
    "indexing",
    "operators",
    "layers",
    "training",
    "detection",
    "sparse",
    "pictures",
    "data",
    "symbols",
    "numpy_mode",
)

for _group in _GROUPS:
    importlib.import_module(f"api_calls.{_group}")
