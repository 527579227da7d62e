"""Operators as functions of ``mx.sym``, in MXNet's calling conventions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.symbol.calls import call
from hybridlint.runtime.symbol.symbol import Symbol


def make_function(op: Operator, public_name: str) -> Callable[..., Symbol]:
    """Return the function of ``mx.sym`` that makes an operator's symbol.

    It takes inputs and parameters by position or by keyword, ``name=`` and ``attr=``; ``out=`` is ignored without a
    word, and a position after the last parameter is the name, as in MXNet.
    """

    def function(*args: Any, **kwargs: Any) -> Symbol:
        for value in (*args, *kwargs.values()):
            if isinstance(value, Symbol) and type(value) is not Symbol:
                raise TypeError(
                    f"Operator `{op.name}` takes symbols of the legacy interface only, but got one of numpy mode: "
                    "call as_nd_ndarray() on it"
                )
        return call(op, public_name, args, kwargs)

    function.__name__ = function.__qualname__ = public_name
    function.__doc__ = op.doc
    return function
