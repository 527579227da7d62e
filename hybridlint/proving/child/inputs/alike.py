"""Repairs of an input that fails beside another array: it takes that array's shape, as a whole or in part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.inputs.specs import BATCH, Spec, TensorSpec, names

if TYPE_CHECKING:
    from hybridlint.proving.child.inputs.operands import Operand, Place

#: Most inputs that one failure leads to.
_MOST = 4
#: Messages of code that fails before shapes matter.
_NO_SHAPES = re.compile(r"unpack|^(?:Attribute|Type|NotImplemented|Key|Name)Error\b")
_EXPECTED = re.compile(r"[Ee]xpect(?:ed|ing) (?:shape )?\(([\d, ]+)\), got \(([\d, ]+)\)")


def alike(inputs: Mapping[str, Spec], sizes: Mapping[str, int], failure: Failure) -> Iterator[dict[str, Spec]]:
    """Yield inputs in which one array of the failing statement has the shape of another array there.

    `sizes` are the numbers used for the named sizes.
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
    """Yield the shape that an error asks for, for each input that has the shape that it complains about."""
    for wanted, got in _EXPECTED.findall(failure.sentence):
        for operand in failure.operands:
            if operand.place is not None and operand.shape == _sizes(got):
                yield operand.place, _sizes(wanted)


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(int(size) for size in text.split(",") if size.strip())


def _changes(operands: tuple[Operand, ...]) -> Iterator[tuple[Place, tuple[int, ...]]]:
    """Yield shapes for the inputs among operands, as they stand first and then with another number of axes."""
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
    """Return a list with another shape for all items that are like the one at a place; else the input unchanged."""
    assert spec is not None
    if not isinstance(spec, list) or len(place) != 1 or not isinstance(place[0], int):
        return spec
    old = spec[place[0]]
    return [_put(item, (), shape) if item == old else item for item in spec]


def _put(spec: Spec | None, place: Place, shape: tuple[int | str, ...]) -> Spec:
    """Return an input with another shape at a place of its nested lists."""
    if isinstance(spec, list) and place:
        k = place[0]
        return [_put(item, place[1:], shape) if at == k else item for at, item in enumerate(spec)]
    assert spec is not None
    return spec.reshaped(shape) if isinstance(spec, TensorSpec) and not place else spec


def _shown(shape: tuple[int, ...], named: Mapping[int, str]) -> tuple[int | str, ...]:
    """Return a shape with names in place of the sizes that have one; only one axis is the batch."""
    found: list[int | str] = []
    for size in shape:
        name = named.get(size)
        found.append(size if name is None or (name == BATCH and BATCH in found) else name)
    return tuple(found)
