"""Readings of ONNX's operators: one function each, found by the operator's name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from hybridlint.runtime.contrib.onnx.onnx2mx.node import Node
    from hybridlint.runtime.symbol.symbol import Symbol

#: From a node to the symbols of its outputs: one, or all in order.
Read: TypeAlias = "Callable[[Node], Symbol | list[Symbol]]"

_by_kind: dict[str, Read] = {}


def reads(*kinds: str) -> Callable[[Read], Read]:
    """Register a function as the reading of ONNX's operators with these names."""

    def register(function: Read) -> Read:
        for kind in kinds:
            _by_kind[kind] = function
        return function

    return register


@cache
def readings() -> dict[str, Read]:
    """Return the readings by the name of ONNX's operator."""
    package = importlib.import_module("hybridlint.runtime.contrib.onnx.onnx2mx.operators")
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
    return _by_kind
