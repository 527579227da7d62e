"""Operators of ``mx.sym.contrib``, found in the registry."""

from __future__ import annotations

from hybridlint.runtime.control_flow.traced import cond, foreach, while_loop  # noqa: F401  (part of the namespace)
from hybridlint.runtime.namespaces import fill
from hybridlint.runtime.symbol.functions import make_function

__getattr__, __dir__ = fill("contrib", make_function, globals())
