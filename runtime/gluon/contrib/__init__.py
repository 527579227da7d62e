"""``mx.gluon.contrib``: layers beyond the core. Data sets and the estimator load on first use."""

import importlib
from typing import Any

from hybridlint.runtime.gluon.contrib import cnn, nn, rnn

__all__ = ["cnn", "data", "estimator", "nn", "rnn"]

_LATE = ("data", "estimator")


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
