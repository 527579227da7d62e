"""Python's own values, computed within bounds: the code that is analyzed may ask for any amount of work and memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridlint.analysis.model.values import STATIC_UNKNOWN, ContainerValue, Value

#: The bits of an integer, and the length of a text or container, above which a value counts as unknown.
_MOST_BITS = 4096
_MOST_LENGTH = 20_000
#: The number of elements from which on those of a container are not told apart, and of all within it at any depth.
MOST_ITEMS = 1024
_MOST_NESTED = 4096


def fold_call(compute: Callable[..., Any], *values: Any) -> Any:
    """Return what a function computes from values; `STATIC_UNKNOWN` if it fails, or if a value is unknown or large.

    The function needs little time and memory for values that are not large.
    """
    if any(value is STATIC_UNKNOWN or not is_small(value) for value in values):
        return STATIC_UNKNOWN
    try:
        result = compute(*values)
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, MemoryError):
        return STATIC_UNKNOWN
    return result if is_small(result) else STATIC_UNKNOWN


def is_small(value: Any) -> bool:
    """Return whether computing with a value takes little time and memory."""
    if isinstance(value, int):
        return value.bit_length() <= _MOST_BITS
    return len(value) <= _MOST_LENGTH if isinstance(value, str | bytes | list | tuple | dict | set) else True


def told_apart(container: ContainerValue) -> ContainerValue:
    """Return a container of containers, or, if it has too many nested elements, a container with unknown elements.

    Nested elements count each time that they appear: a list that holds another twice, which holds a third twice, is
    small in memory, but a visitor meets as many elements as a print would show.
    """
    items = container.items
    if items is None or not any(isinstance(item, ContainerValue) for item in items):
        return container
    left = _MOST_NESTED
    waiting: list[Value] = list(items)
    while waiting and left > 0:
        left -= 1
        item = waiting.pop()
        if isinstance(item, ContainerValue):
            waiting += item.items[:_MOST_NESTED] if item.items is not None else (item.each,)
            if item.items is not None and len(item.items) > left:
                left = 0
    return container if left > 0 else ContainerValue(container.kind, None)
