"""Whether a module's code can run in MXNet's numpy mode alone, though the module does not enable it.

A library that calls functions of `mx.np` and `mx.npx` leaves ``npx.set_np()`` to the programs that use it.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, ModuleType
from typing import Any


def enable_if_needed(mx: Any, module: ModuleType) -> None:
    """Enable numpy mode if functions of a module use `mx.np` or `mx.npx`, and none uses `nd`."""
    if not hasattr(mx, "npx") or mx.util.is_np_array():
        return
    names = {name for code in _codes(module) for name in code.co_names}
    bound = {id(getattr(module, name, None)) for name in names}
    if bound & {id(mx.np), id(mx.npx)} and "nd" not in names and "ndarray" not in names and id(mx.nd) not in bound:
        mx.npx.set_np()


def _codes(module: ModuleType) -> Iterator[CodeType]:
    """Yield the code of the functions of a module, and of the methods of its classes."""
    for value in list(vars(module).values()):
        if getattr(value, "__module__", None) != module.__name__:
            continue
        for function in vars(value).values() if isinstance(value, type) else [value]:
            code = getattr(function, "__code__", None)
            if isinstance(code, CodeType):
                yield code
