"""Operators of ``mx.sym.contrib``, found in the registry."""

from __future__ import annotations

from hybridlint.runtime.namespaces import fill
from hybridlint.runtime.symbol.functions import make_function

__getattr__, __dir__ = fill("contrib", make_function, globals())
