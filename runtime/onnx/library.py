"""The library `onnx`, imported when a file is read or written: it comes with an extra of its own."""

from __future__ import annotations

import importlib
from typing import Any


def library() -> Any:
    """Return the package `onnx`. Raises ImportError that names the extra, where it is not installed."""
    try:
        # By name, because it is no dependency: type checkers and readers of imports need not find it.
        return importlib.import_module("onnx")
    except ImportError as error:
        raise ImportError(
            "ONNX files need the package onnx, which is not installed: run `pip install 'hybridlint[onnx]'`"
        ) from error
