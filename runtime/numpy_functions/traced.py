"""The traced world: operators of numpy mode become nodes of a symbolic graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime.facts import registry
from hybridlint.runtime.symbol.calls import call
from hybridlint.runtime.symbol.symbol import Symbol


class TracedWorld:
    """Makes nodes of symbols."""

    eager = False

    def __init__(self) -> None:
        self._class: type[Symbol] | None = None

    def is_tensor(self, value: Any) -> bool:
        """Whether the value is a symbol of numpy mode."""
        return isinstance(value, self.symbol_class)

    @property
    def symbol_class(self) -> type[Symbol]:
        """The class of all results."""
        if self._class is None:
            from hybridlint.runtime.symbol.numpy.symbol import _Symbol

            self._class = _Symbol
        return self._class

    def call(
        self, name: str, /, *inputs: Any, out: Any = None, ctx: Any = None, hint: str | None = None, **params: Any
    ) -> Any:
        """Make a node; `out` is ignored, as in MXNet. Raises MXNetError, TypeError for a legacy symbol."""
        op = registry.get(name)
        for value in inputs:
            if isinstance(value, Symbol) and not self.is_tensor(value):
                raise TypeError(
                    f"Operator `{name}` takes symbols of numpy mode only, but got a legacy Symbol: "
                    "call as_np_ndarray() on it"
                )
        # A parameter whose default is None is left out: a dtype of None that is written out means another.
        given = {k: v for k, v in params.items() if v is not None or _takes_none(op.params.get(k))}
        if ctx is not None and "ctx" in op.params:
            given["ctx"] = str(ctx)
        return call(op, hint or _hint(name), inputs, given, self.symbol_class)

    def with_number(self, name: str, tensor: Any, number: Any, out: Any = None, *, reflected: bool = False) -> Any:
        """Create the node of a symbol and a number. A number that is no integer turns an integer array to float64."""
        whole = isinstance(number, (int, np.integer)) and not reflected
        return self.call(name, tensor, scalar=float(number), is_int=whole)


def _takes_none(param: registry.Param | None) -> bool:
    return param is not None and param.nullable and param.default is not None


def _hint(name: str) -> str:
    for prefix in ("_npi_", "_npx_", "_np_", "_contrib_", "_"):
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return name


WORLD = TracedWorld()
