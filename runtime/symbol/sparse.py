"""Operators of ``mx.sym.sparse``, found in the registry."""

from __future__ import annotations

from hybridlint.runtime.core.namespaces import fill
from hybridlint.runtime.symbol.functions import make_function

__getattr__, __dir__ = fill("sparse", make_function, globals())
