"""Reads in a block's pass that differ between calls with equal inputs, such as Python's random numbers.

A graph keeps the first value. Calls that agree only show that the drawn numbers did not matter there.
"""

from __future__ import annotations

import random
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from hybridlint.proving.child.brief.changes import DottedCall
from hybridlint.proving.child.changes.change import own_classes, parts_of
from hybridlint.proving.child.runs.variants import BlockVersion

#: What draws random numbers, other than MXNet.
_GENERATORS = (random.Random, np.random.RandomState, np.random.Generator)
_CLOCKS = ("time",)


def unforeseen(side: BlockVersion, block: Any) -> list[str]:
    """Return the random draws of a block's pass, and the clocks that it decides by, in the user's words."""
    found: dict[str, None] = {}
    for cls in own_classes(side.world, block):
        part = next(parts_of(block, cls))
        for call in side.changes.of(cls.__name__).calls:
            found.update(dict.fromkeys(_drawn(call, part, side.world.namespace)))
    return list(found)


def _drawn(call: DottedCall, part: Any, namespace: Mapping[str, Any]) -> Iterator[str]:
    source = getattr(_object(call, part, namespace), "__self__", None)
    is_clock = isinstance(source, types.ModuleType) and source.__name__ in _CLOCKS
    if isinstance(source, _GENERATORS) or (is_clock and call.decides):
        yield f"{'.'.join(call.names)}()"
    elif call.drawn is not None and isinstance(_object(call.drawn, part, namespace), Iterator):
        yield f"next({'.'.join(call.drawn.names)})"


def _object(call: DottedCall, part: Any, namespace: Mapping[str, Any]) -> Any:
    """Return the object that the names of a call lead to, None if an attribute is missing."""
    names = call.names or ("",)
    return _reached(part if call.own else namespace.get(names[0]), names[1:])


def _reached(owner: Any, names: Iterable[str]) -> Any:
    """Return the object at the end of a chain of attributes, None if an attribute is missing."""
    for name in names:
        owner = getattr(owner, name, None)
    return owner
