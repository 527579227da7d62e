"""Operators of ``mx.nd.linalg``, found in the registry."""

from __future__ import annotations

from hybridlint.runtime.core.namespaces import fill
from hybridlint.runtime.ndarray.functions import make_function

__getattr__, __dir__ = fill("linalg", make_function, globals())
