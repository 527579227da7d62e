"""Operators of ``mx.nd._internal``, found in the registry."""

from __future__ import annotations

from hybridlint.runtime.core.namespaces import fill
from hybridlint.runtime.ndarray.functions import make_function

__getattr__, __dir__ = fill("_internal", make_function, globals())
