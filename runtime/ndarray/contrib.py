"""Operators of ``mx.nd.contrib``, found in the registry."""

from __future__ import annotations

from hybridlint.runtime.control_flow.eager import cond, foreach, while_loop
from hybridlint.runtime.namespaces import fill
from hybridlint.runtime.ndarray.functions import make_function

__getattr__, __dir__ = fill("contrib", make_function, globals())
