"""Repairs for a statement that fails on several arrays: an input gets another array's shape, or its part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.specs.spec import BATCH, Spec, TensorSpec, names

if TYPE_CHECKING:
    from hybridlint.proving.child.inputs.repairs.failing_operands import Operand, Place

#: Most sets of inputs that are derived from one failure.
_MOST = 4
#: Errors that say nothing about shapes, such as an AttributeError.
_NO_SHAPES = re.compile(r"unpack|^(?:Attribute|Type|NotImplemented|Key|Name)Error\b")
_EXPECTED = re.compile(r"[Ee]xpect(?:ed|ing) (?:shape )?\(([\d, ]+)\), got \(([\d, ]+)\)")


def same_shapes(inputs: Mapping[str, Spec], sizes: Mapping[str, int], failure: Failure) -> Iterator[dict[str, Spec]]:
    """Yield changed inputs: one array of the failing statement gets the shape of another array of that statement.

    `sizes` maps each named size (such as "N" or "T") to the number that the failed run used for it.
    """
    if _NO_SHAPES.search(failure.sentence):
        return
    named = {sizes[name]: name for name in names(list(inputs.values())) if name in sizes}
    seen: list[dict[str, Spec]] = []
    for place, shape in (*_expected(failure), *_changes(failure.operands)):
        spec = inputs.get(str(place[0]))
        for way in (_put_all, _put) if len(place) > 1 else (_put,):
            changed = {**inputs, str(place[0]): way(spec, place[1:], _shown(shape, named))}
            if changed != inputs and changed not in seen and len(seen) < _MOST:
                seen.append(changed)
                yield changed


def _expected(failure: Failure) -> Iterator[tuple[Place, tuple[int, ...]]]:
    """Yield pairs (input, expected shape) for an error like "expected (2, 4), got (2, 5)".

    The inputs are those among the operands whose shape is the one that the error rejects.
    """
    for expected, got in _EXPECTED.findall(failure.sentence):
        for operand in failure.operands:
            if operand.place is not None and operand.shape == _sizes(got):
                yield operand.place, _sizes(expected)


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(int(size) for size in text.split(",") if size.strip())


def _changes(operands: tuple[Operand, ...]) -> Iterator[tuple[Place, tuple[int, ...]]]:
    """Yield pairs (input, new shape): first the whole shape of another operand, then parts of a longer shape.

    The parts have as many axes as the input.
    """
    pairs = [(own, other) for own in operands if own.place is not None for other in operands if other is not own]
    for own, other in pairs:
        # A size of 1 fits by chance, and would hide a difference.
        if own.place is not None and other.shape and 1 not in other.shape:
            yield own.place, other.shape
    for own, other in pairs:
        if own.place is not None and own.shape and len(other.shape) > len(own.shape):
            yield own.place, other.shape[: len(own.shape)]
            yield own.place, (*other.shape[:1], *other.shape[len(other.shape) - len(own.shape) + 1 :])


def _put_all(spec: Spec | None, place: Place, shape: tuple[int | str, ...]) -> Spec:
    """Return a list input in which the item at `place`, and all items equal to it, have another shape.

    An input that is no list, or a place in a nested list, is returned unchanged.
    """
    assert spec is not None
    if not isinstance(spec, list) or len(place) != 1 or not isinstance(place[0], int):
        return spec
    old = spec[place[0]]
    return [_put(item, (), shape) if item == old else item for item in spec]


def _put(spec: Spec | None, place: Place, shape: tuple[int | str, ...]) -> Spec:
    """Return an input in which the tensor at `place` (indices into nested lists) has another shape."""
    if isinstance(spec, list) and place:
        k = place[0]
        return [_put(item, place[1:], shape) if at == k else item for at, item in enumerate(spec)]
    assert spec is not None
    return spec.reshaped(shape) if isinstance(spec, TensorSpec) and not place else spec


def _shown(shape: tuple[int, ...], named: Mapping[int, str]) -> tuple[int | str, ...]:
    """Return a shape with names in place of sizes; the batch size becomes its name on only one axis."""
    found: list[int | str] = []
    for size in shape:
        name = named.get(size)
        found.append(size if name is None or (name == BATCH and BATCH in found) else name)
    return tuple(found)
