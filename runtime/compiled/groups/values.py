"""What a graph computes, as whole arrays: element-wise functions, views, reductions and products of stored arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from math import isinf, prod
from typing import TypeAlias

from hybridlint.runtime.platforms.protocol import Raw

Sizes: TypeAlias = tuple[int, ...]

#: The element type that is stored besides float32, and the function that rounds to it.
HALF = "float16"
ROUNDED = "as_half"

#: A view of a function of more functions than this looks at memory instead of repeating them.
_LIGHTEST = 12
#: Of more functions than this, those within are stored.
_HEAVIEST = 100


class CannotLower(Exception):
    """Raised for what an engine has no native code for; the message names it in a few words."""


@dataclass(frozen=True, eq=False, slots=True)
class Value:
    """An array of float32, or of truth values where `predicate`; these are never stored.

    What `is_half` may lie in memory as float16: its numbers are float16's.
    """

    shape: Sizes
    predicate: bool = False

    @property
    def sources(self) -> tuple[Value, ...]:
        """The values that it is computed from."""
        return ()

    @property
    def is_half(self) -> bool:
        """Whether all its elements are numbers of float16."""
        return False

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)


@dataclass(frozen=True, eq=False, slots=True)
class Given(Value):
    """An array that is there before native code runs, by the number of the graph's value."""

    number: int = -1
    dtype: str = "float32"

    @property
    def is_half(self) -> bool:
        """Whether it is an array of float16."""
        return self.dtype == HALF


@dataclass(frozen=True, eq=False, slots=True)
class Table(Value):
    """Numbers that are known when code is made."""

    raw: Raw | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Number(Value):
    """A number that is known when code is made."""

    number: float = 0.0


@dataclass(frozen=True, eq=False, slots=True)
class Map(Value):
    """A function of elements; the arguments are repeated along dimensions of size 1, as in numpy."""

    function: str = ""
    arguments: tuple[Value, ...] = ()
    #: How many functions a view of it would have to repeat.
    weight: int = 1

    @property
    def sources(self) -> tuple[Value, ...]:
        """Its arguments."""
        return self.arguments

    @property
    def is_half(self) -> bool:
        """Whether it was rounded to float16."""
        return self.function == ROUNDED


@dataclass(frozen=True, slots=True)
class Along:
    """A position along an axis of an array: `start` plus the indices of a view's axes times their factors."""

    start: int = 0
    terms: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class _OfOne(Value):
    """What has the elements of one other value."""

    source: Value = Value(())

    @property
    def sources(self) -> tuple[Value, ...]:
        """What has the elements."""
        return (self.source,)

    @property
    def is_half(self) -> bool:
        """Whether its source has numbers of float16 alone."""
        return self.source.is_half


@dataclass(frozen=True, eq=False, slots=True)
class View(_OfOne):
    """Elements of another value: one position for each of its axes."""

    index: tuple[Along, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Flat(_OfOne):
    """The elements of another value in their order, in a shape that no view can give."""


@dataclass(frozen=True, eq=False, slots=True)
class Stored(_OfOne):
    """A value that several nodes use: views of it look at memory, so that it is computed once."""


@dataclass(frozen=True, eq=False, slots=True)
class Reduce(Value):
    """Elements combined over axes, which are dropped: ``add``, ``multiply``, ``maximum`` or ``minimum``."""

    function: str = ""
    source: Value = Value(())
    axes: Sizes = ()

    @property
    def sources(self) -> tuple[Value, ...]:
        """What is reduced."""
        return (self.source,)


@dataclass(frozen=True, eq=False, slots=True)
class Product(Value):
    """Sums of products. `left` has the axes (batches ..., rows, inner ...), `right` (batches ..., inner ..., columns).

    The result has the axes (batches ..., rows, columns); sums are taken over the last `inner` axes of `left`.
    """

    left: Value = Value(())
    right: Value = Value(())
    inner: int = 1

    @property
    def sources(self) -> tuple[Value, ...]:
        """The two operands."""
        return (self.left, self.right)

    @property
    def is_half(self) -> bool:
        """Whether its operands have numbers of float16 alone: the sums are float32's, and rounded then."""
        return self.left.is_half and self.right.is_half


@dataclass(frozen=True, eq=False, slots=True)
class Padded(Value):
    """A value with a frame of one number around it: so many elements before and after, for each axis."""

    source: Value = Value(())
    before: Sizes = ()
    number: float = 0.0
    #: Whether its elements follow each other in memory in the order of its axes.
    in_order: bool = False

    @property
    def sources(self) -> tuple[Value, ...]:
        """What stands in the frame."""
        return (self.source,)

    @property
    def is_half(self) -> bool:
        """Whether all numbers are float16: those inside, and the frame, which must be zeros or infinities."""
        return self.source.is_half and (self.number == 0 or isinf(self.number))


@dataclass(frozen=True, eq=False, slots=True)
class Joined(Value):
    """Values of equal rank one after another along an axis."""

    parts: tuple[Value, ...] = ()
    axis: int = 0

    @property
    def sources(self) -> tuple[Value, ...]:
        """The parts."""
        return self.parts

    @property
    def is_half(self) -> bool:
        """Whether all parts have numbers of float16 alone."""
        return all(part.is_half for part in self.parts)


def broadcast(*shapes: Sizes) -> Sizes:
    """Return the shape of arrays of these shapes together, by numpy's rule. Raises CannotLower if they do not fit."""
    result = []
    for sizes in zip_longest(*(reversed(shape) for shape in shapes), fillvalue=1):
        larger = {size for size in sizes if size != 1}
        if len(larger) > 1:
            raise CannotLower(f"shapes {shapes} do not fit")
        result.append(larger.pop() if larger else 1)
    return tuple(reversed(result))


def mapped(function: str, *arguments: Value, predicate: bool = False) -> Value:
    """Return a function of elements."""
    shape = broadcast(*(a.shape for a in arguments))
    taken = tuple(map(bare, arguments))
    weight = 1 + _functions_in(taken)
    if weight > _HEAVIEST:
        return Map(shape, predicate, function, tuple(map(kept, taken)))
    return Map(shape, predicate, function, taken, weight)


def _functions_in(values: tuple[Value, ...]) -> int:
    """Return the number of functions of elements that are computed within each other."""
    found: set[Value] = set()
    waiting = [value for value in values if isinstance(value, Map)]
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            waiting += [source for source in value.sources if isinstance(source, Map)]
    return len(found)


def is_of_elements(value: Value) -> bool:
    """Return whether a value is functions of elements of what is given, and of numbers."""
    return isinstance(value, (Given, Number)) or (isinstance(value, Map) and all(map(is_of_elements, value.sources)))


def rounded(value: Value) -> Value:
    """Return a value as float16 holds it."""
    return value if value.is_half else mapped(ROUNDED, value)


def kept(value: Value) -> Value:
    """Return a value that is stored if it is a function of elements, so that what looks at it does not repeat it."""
    return Stored(value.shape, source=value) if isinstance(value, Map) and not value.predicate else value


def bare(value: Value) -> Value:
    """Return a value as functions of elements take it: where it is stored does not matter to them."""
    return value.source if isinstance(value, Stored) else value


def viewed(source: Value, shape: Sizes, index: tuple[Along, ...]) -> Value:
    """Return elements of a value; views of views and of functions are views of what these are made of."""
    if shape == source.shape and all(at == _whole(axis, size) for axis, (at, size) in _axes(index, shape)):
        return source
    if isinstance(source, Number):
        return Number(shape, number=source.number) if shape else source
    if isinstance(source, View):
        return viewed(source.source, shape, tuple(_composed(at, index) for at in source.index))
    if isinstance(source, Joined):
        part = _part_of(source, shape, index)
        if part is not None:
            return viewed(part[0], shape, part[1])
    if isinstance(source, Map) and (source.predicate or _is_cheap_to_view(source, shape)):
        seen: dict[Value, Value] = {}
        for a in source.arguments:
            if a not in seen:
                seen[a] = part_seen(a, source.shape, shape, index)
        arguments = tuple(seen[a] for a in source.arguments)
        return Map(shape, source.predicate, source.function, arguments, source.weight)
    source = kept(source)
    return View(shape, source.predicate, source, index)


def _part_of(source: Joined, shape: Sizes, index: tuple[Along, ...]) -> tuple[Value, tuple[Along, ...]] | None:
    """Return the one part that a view of joined values sees, and how it does; None if it sees several."""
    axis, at = source.axis, index[source.axis]
    ends = [factor * (shape[k] - 1) for k, factor in at.terms]
    least, most = (at.start + sum(bound(0, end) for end in ends) for bound in (min, max))
    start = 0
    for part in source.parts:
        if start <= least and most < start + part.shape[axis]:
            return part, (*index[:axis], Along(at.start - start, at.terms), *index[axis + 1 :])
        start += part.shape[axis]
    return None


def _is_cheap_to_view(source: Map, shape: Sizes) -> bool:
    """Return whether a view may compute a function again: each element once, and no sums of products unfinished."""
    size = prod(shape)
    if source.weight > _LIGHTEST or size > source.size:
        return False
    return size == source.size or not _holds_sums(source)


def _holds_sums(value: Value) -> bool:
    """Return whether a function of elements finishes sums of products."""
    if isinstance(value, (Map, View)):
        return any(map(_holds_sums, value.sources))
    return isinstance(value, Product)


def _axes(index: tuple[Along, ...], shape: Sizes) -> Iterator[tuple[int, tuple[Along, int]]]:
    return enumerate(zip(index, shape, strict=True))


def _whole(axis: int, size: int) -> Along:
    return Along() if size == 1 else Along(0, ((axis, 1),))


def _composed(outer: Along, index: tuple[Along, ...]) -> Along:
    start, terms = outer.start, dict[int, int]()
    for axis, factor in outer.terms:
        start += factor * index[axis].start
        for inner, step in index[axis].terms:
            terms[inner] = terms.get(inner, 0) + factor * step
    return Along(start, tuple(sorted(terms.items())))


def part_seen(argument: Value, whole: Sizes, shape: Sizes, index: tuple[Along, ...]) -> Value:
    """Return the view of a function's argument that the view of its result asks for."""
    if not argument.shape:
        return argument
    missing = len(whole) - len(argument.shape)
    own = tuple(Along() if size == 1 else index[missing + axis] for axis, size in enumerate(argument.shape))
    return viewed(argument, shape, own)


def transposed(source: Value, order: Sizes) -> Value:
    """Return a value with its axes in another order."""
    place = {axis: k for k, axis in enumerate(order)}
    index = tuple(_whole(place[axis], size) for axis, size in enumerate(source.shape))
    return viewed(source, tuple(source.shape[axis] for axis in order), index)


def repeated(source: Value, shape: Sizes) -> Value:
    """Return a value repeated to a shape, by numpy's rule."""
    missing = len(shape) - len(source.shape)
    index = tuple(_whole(missing + axis, size) for axis, size in enumerate(source.shape))
    return viewed(source, shape, index)


def reshaped(source: Value, shape: Sizes) -> Value:
    """Return the elements of a value in their order, in another shape."""
    if shape == source.shape:
        return source
    if isinstance(source, Number):
        return Number(shape, number=source.number)
    if isinstance(source, Flat):
        return reshaped(source.source, shape)
    groups = regrouped(source.shape, shape)
    if groups is None:
        return _flattened(source, shape)
    return viewed(source, shape, groups)


def _flattened(source: Value, shape: Sizes) -> Value:
    if (
        isinstance(source, Map)
        and source.weight <= _LIGHTEST
        and all(_keeps_order(a, source) for a in source.arguments)
    ):
        arguments = tuple(a if not a.shape else reshaped(a, shape) for a in source.arguments)
        return Map(shape, source.predicate, source.function, arguments, source.weight)
    if source.predicate:
        raise CannotLower("truth values in another shape")
    return Flat(shape, source=kept(source))


def _keeps_order(argument: Value, whole: Value) -> bool:
    """Return whether an argument of a function can be given another shape without a copy."""
    return not argument.shape or (argument.shape == whole.shape and isinstance(argument, (Given, Number, Flat, Map)))


def regrouped(old: Sizes, new: Sizes) -> tuple[Along, ...] | None:
    """Return the index of a view that splits axes and adds or drops some of size 1; None if axes are merged."""
    index: list[Along] = []
    at = 0
    for size in old:
        if size == 1:
            index.append(Along())
            continue
        terms: list[tuple[int, int]] = []
        left = size
        while left > 1:
            if at == len(new) or left % new[at]:
                return None
            left //= new[at]
            if new[at] != 1:
                terms.append((at, left))
            at += 1
        index.append(Along(0, tuple(terms)))
    return tuple(index)
