"""The numbers that identify arrays and unknown sizes, and comparison of values up to renumbering.

If the arguments of two calls differ only in these numbers, the calls behave alike, and their results differ only in
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Set
from contextlib import suppress
from dataclasses import field
from typing import Any, Protocol, TypeAlias

from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    CapturedArray,
    ContainerValue,
    DataDependentValue,
    External,
    Namespace,
    NumpyArray,
    Outputs,
    ParameterRef,
    ShapeProvenance,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.runtime.facts.dims import Dim, DimLike, fresh_name, made_since, rename_sizes, unknowns
from hybridlint.runtime.facts.records import record, replace
from hybridlint.runtime.facts.types import Shape, TensorType

#: The number of an array or an unknown shape, or the name of an unknown size.
Number: TypeAlias = int | str

#: Values without numbers.
_PLAIN = (Unknown, DataDependentValue, External, Namespace)
_SCALARS = (type(None), bool, int, float, str, type(STATIC_UNKNOWN))


class UncomparableError(Exception):
    """A value without a pattern, such as a function or a block. The result of a call with it is not reused."""


@record(slots=True)
class Numbering:
    """The numbers that occur in some values, in order of first occurrence.

    Numbers in `kept` mean the same in all calls.
    """

    kept: Set[Number] = frozenset()
    _places: dict[Number, int] = field(default_factory=dict)

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers in order of first occurrence."""
        return tuple(self._places)

    def pattern(self, value: Value) -> Hashable:
        """Return a hashable key for a value in which each number is replaced by its order of occurrence.

        Raises UncomparableError for values without such a key.
        """
        match value:
            case Tensor():
                where = self._place(value.identity), self._lineage(value.lineage), self._type(value.type)
                what = value.mode, value.origin, value.random_scalar, value.optional, value.flows
                return Tensor, where, what, value.presumed, value.unchanged
            case Outputs():
                types = None if value.types is None else tuple(map(self._type, value.types))
                return Outputs, types, value.mode, value.operator, value.flows, self._lineage(value.lineage)
            case ContainerValue():
                items = None if value.items is None else tuple(map(self.pattern, value.items))
                each = self.pattern(value.each)
                return ContainerValue, value.kind, items, each, _exact(value.keys), value.kept, value.filled
            case StaticValue():
                known = _exact(value.value), _exact(value.among)
                return StaticValue, known, value.certain, value.numpy, value.either
            case CapturedArray():
                return CapturedArray, self._type(value.type), value.kept
            case ParameterRef():
                return ParameterRef, self._type(value.type), value.trained, value.late
            case NumpyArray():
                return NumpyArray, self._type(value.type)
            case _ if isinstance(value, _PLAIN):
                return value
            case _:
                raise UncomparableError

    def _place(self, number: Number | None) -> Hashable:
        if number is None or number in self.kept:
            return None, number
        return self._places.setdefault(number, len(self._places))

    def _lineage(self, lineage: ShapeProvenance | None) -> Hashable:
        if lineage is None:
            return None
        equal_roots = tuple(map(self._place, sorted(lineage.equal_roots)))
        return self._place(lineage.root), lineage.steps, equal_roots, lineage.axis, lineage.mixed

    def _type(self, known: TensorType) -> Hashable:
        return None if known.shape is None else tuple(map(self._size, known.shape)), known.dtype

    def _size(self, size: DimLike) -> Hashable:
        if not isinstance(size, Dim):
            return size
        return tuple((tuple(map(self._name, names)), factor) for names, factor in size.terms)

    def _name(self, name: str) -> Hashable:
        text, inside = unknowns(name)
        return text, tuple(map(self._place, inside))


def numbers_in(values: Iterable[Value]) -> Set[Number]:
    """Return the numbers that occur in values, leaving out values without a pattern."""
    found = Numbering()
    for value in values:
        with suppress(UncomparableError):
            found.pattern(value)
    return frozenset(found.numbers)


def _exact(known: Any) -> Hashable:
    """Return a hashable key for a constant; unlike ``==``, it tells 1, 1.0 and True apart."""
    if isinstance(known, tuple | list):
        return type(known), *map(_exact, known)
    if not isinstance(known, _SCALARS):
        raise UncomparableError
    return type(known), repr(known)


@record(frozen=True, slots=True)
class Renumbering:
    """Translates values of one call to another call; `new` maps each number to the other call's number."""

    new: Callable[[Any], Any]

    def renumbered(self, value: Value) -> Value:
        """Return a value, which has a pattern, with its numbers replaced by those of the other call."""
        match value:
            case Tensor():
                identity = None if value.identity is None else self.new(value.identity)
                known, lineage = self._type(value.type), self._lineage(value.lineage)
                return replace(value, type=known, identity=identity, lineage=lineage)
            case Outputs():
                types = None if value.types is None else tuple(map(self._type, value.types))
                return replace(value, types=types, lineage=self._lineage(value.lineage))
            case ContainerValue():
                items = None if value.items is None else tuple(map(self.renumbered, value.items))
                return replace(value, items=items, each=self.renumbered(value.each))
            case CapturedArray() | ParameterRef() | NumpyArray():
                return replace(value, type=self._type(value.type))
            case _:
                return value

    def _lineage(self, lineage: ShapeProvenance | None) -> ShapeProvenance | None:
        if lineage is None:
            return None
        return replace(lineage, root=self.new(lineage.root), equal_roots=frozenset(map(self.new, lineage.equal_roots)))

    def _type(self, known: TensorType) -> TensorType:
        shape: Shape | None = known.shape
        return known if shape is None else known.with_shape(tuple(rename_sizes(size, self.new) for size in shape))


class _CachedCall(Protocol):
    """The numbers of a cached call: see `RecordedCall` and `CallSummary`."""

    @property
    def given(self) -> tuple[Number, ...]: ...
    @property
    def before(self) -> int: ...
    @property
    def taken(self) -> int: ...
    @property
    def since(self) -> int: ...


def renumbering_of(call: _CachedCall, given: tuple[Number, ...], kept: Set[Number], tokens: int) -> Renumbering:
    """Return the translation of a cached call to one whose arguments have the numbers `given`.

    What the cached call made has new numbers, which begin after `tokens`; numbers in `kept` mean the same in all calls.
    """
    numbers = dict(zip(call.given, given, strict=True))
    offset = tokens - call.before

    def new(old: Number) -> Number:
        if old in kept:
            return old
        if old not in numbers:
            if isinstance(old, int):
                numbers[old] = old + offset if call.before < old <= call.before + call.taken else old
            else:
                numbers[old] = fresh_name() if made_since(old, call.since) else old
        return numbers[old]

    return Renumbering(new)
