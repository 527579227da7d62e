"""Functions of elements: how they are composed, and stored so that they are computed only once."""

from __future__ import annotations

from itertools import zip_longest

from hybridlint.runtime.compiled.lowering.values import (
    ROUNDED,
    ArrayValue,
    CannotLower,
    Given,
    Map,
    Number,
    Sizes,
    StoredArray,
)

#: Of more functions than this, those within are stored.
_HEAVIEST = 100


def broadcast(*shapes: Sizes) -> Sizes:
    """Return the shape of arrays of these shapes together, by numpy's rule. Raises CannotLower if they do not fit."""
    result = []
    for sizes in zip_longest(*(reversed(shape) for shape in shapes), fillvalue=1):
        larger = {size for size in sizes if size != 1}
        if len(larger) > 1:
            raise CannotLower(f"shapes {shapes} do not fit")
        result.append(larger.pop() if larger else 1)
    return tuple(reversed(result))


def map_elements(function: str, *arguments: ArrayValue, predicate: bool = False) -> ArrayValue:
    """Return a function of elements."""
    shape = broadcast(*(a.shape for a in arguments))
    taken = tuple(map(bare, arguments))
    weight = 1 + _functions_in(taken)
    if weight > _HEAVIEST:
        return Map(shape, predicate, function, tuple(map(keep_value, taken)))
    return Map(shape, predicate, function, taken, weight)


def _functions_in(values: tuple[ArrayValue, ...]) -> int:
    """Return the number of functions of elements that are computed within each other."""
    found: set[ArrayValue] = set()
    waiting = [value for value in values if isinstance(value, Map)]
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            waiting += [source for source in value.sources if isinstance(source, Map)]
    return len(found)


def is_of_elements(value: ArrayValue) -> bool:
    """Return whether a value is functions of elements of what is given, and of numbers."""
    return isinstance(value, (Given, Number)) or (isinstance(value, Map) and all(map(is_of_elements, value.sources)))


def round_half(value: ArrayValue) -> ArrayValue:
    """Return a value as float16 holds it."""
    return value if value.is_half else map_elements(ROUNDED, value)


def keep_value(value: ArrayValue) -> ArrayValue:
    """Return a function of elements as a stored value, so that its readers do not compute it again."""
    return StoredArray(value.shape, source=value) if isinstance(value, Map) and not value.predicate else value


def bare(value: ArrayValue) -> ArrayValue:
    """Return a value as functions of elements take it: where it is stored does not matter to them."""
    return value.source if isinstance(value, StoredArray) else value
