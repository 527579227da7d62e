"""From values to kernels: which values are stored, and where, and which are computed inside one loop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from hybridlint.runtime.compiled.lowering.elements import bare
from hybridlint.runtime.compiled.lowering.gathered import Gathered
from hybridlint.runtime.compiled.lowering.kernels import Access, Buffer, Fold, Kernel, Loop, Schedule, Tree
from hybridlint.runtime.compiled.lowering.places import (
    axes_in,
    in_memory_order,
    inside_of,
    repeated_at,
    reshaped_at,
    same_elements,
    shown_at,
    viewed_at,
    whole,
    without_permutations,
)
from hybridlint.runtime.compiled.lowering.scattered import Scattered
from hybridlint.runtime.compiled.lowering.uses import consumers, sources_first
from hybridlint.runtime.compiled.lowering.values import (
    HALF,
    ArrayValue,
    ArrayView,
    Flat,
    Given,
    Joined,
    Map,
    Number,
    Padded,
    Product,
    Reduce,
    Sizes,
    StoredArray,
    Table,
)
from hybridlint.runtime.platforms.protocol import Raw

#: The functions of a loop, in an order that depends on the graph alone: native code is kept by its text.
Members: TypeAlias = dict[ArrayValue, None]


class Scheduler(ABC):
    """Puts values into loops. How sums of products are computed is each engine's own."""

    def __init__(self, roots: Sequence[ArrayValue], dtypes: Sequence[str] | None = None) -> None:
        self._roots = [bare(root) for root in roots]
        self._dtypes = ["float32"] * len(roots) if dtypes is None else dtypes
        self._buffers: list[Buffer] = []
        self._kernels: list[Kernel] = []
        self._places: dict[ArrayValue, Access] = {}
        self._given: dict[int, Buffer] = {}
        self._tables: dict[Buffer, Raw] = {}
        self._consumers = consumers(self._roots)
        self._in_order = {_stored(v.source) for v in self._consumers if isinstance(v, Flat)}
        self._wanted: dict[ArrayValue, Access] = {}
        self._in_frames = self._framed_values()
        #: Where joined values are put together, and where in them their parts are, if that is known from the start.
        self._rooms: dict[Joined, Access] = {}
        self._in_rooms: dict[ArrayValue, Access] = {}

    @abstractmethod
    def _multiply(self, value: Product) -> Access:
        """Return where sums of products lie, after kernels that put them there."""

    def _gather(self, value: Gathered) -> Access:
        """Return where parts of a table lie, after kernels that put them there, for engines that can."""
        raise NotImplementedError(type(self).__name__)

    @abstractmethod
    def _finish(self, value: Map, members: Members) -> Access | None:
        """Return where a function of sums of products lies that is computed with them; None if it takes none such."""

    @abstractmethod
    def _finished_order(self, value: ArrayValue, members: Members) -> list[int] | None:
        """Return the axes, outermost first, of what `_finish` or `_multiply` computes; None if neither does."""

    def run(self) -> Schedule:
        """Return the kernels that compute the roots, each into a result of its own."""
        copies = []
        for position, root in enumerate(self._roots):
            place = whole(self._new(root.size, result=position, dtype=self._dtypes[position]), root.shape)
            computed = (
                isinstance(root, (Map, Reduce, Product, Joined, Scattered, Gathered)) and root not in self._wanted
            )
            if computed:
                self._wanted[root] = place
            else:
                copies.append((root, place))
        for value in self._consumers:
            if isinstance(value, Joined):
                self._reserve(value)
        for value in sources_first(self._roots):
            if self._stands_alone(value):
                self._place(value)
        for root in list(self._wanted):
            self._place(root)
        for root, place in copies:
            self._copy(root, place)
        return Schedule(tuple(self._kernels), tuple(self._buffers), self._tables)

    def _framed_values(self) -> dict[ArrayValue, Padded]:
        """Return the values that can be computed inside the frame of a padded value, with that value."""
        found: dict[ArrayValue, Padded] = {}
        for value in self._consumers:
            inner = without_permutations(value.source) if isinstance(value, Padded) else None
            if isinstance(value, Padded) and isinstance(inner, (Map, Product)) and inner not in self._in_order:
                found.setdefault(inner, value)
        return found

    def _reserve(self, joined: Joined) -> None:
        """Note where parts of a joined value may be computed, if its layout does not depend on theirs."""
        if joined not in self._wanted and joined not in self._in_order:
            return
        room = self._rooms[joined] = self._room(joined)
        for part, place in _places_of_parts(joined, room):
            value, seen = _origin(part, place)
            free = value not in self._wanted and value not in self._in_frames and value not in self._in_order
            if seen is not None and free and isinstance(value, (Map, Product, Reduce)):
                self._in_rooms.setdefault(value, seen)

    # -- memory

    def _new(self, size: int, *, given: int | None = None, result: int | None = None, dtype: str = "float32") -> Buffer:
        buffer = Buffer(len(self._buffers), size, given, result, dtype=dtype)
        self._buffers.append(buffer)
        return buffer

    def _room(self, value: ArrayValue, tree: Tree | None = None, order: Sequence[int] | None = None) -> Access:
        """Return memory for a value: a result, the inside of a frame, or scratch in its inputs' layout.

        `order` has the axes as they follow in memory, where that is known.
        """
        if value in self._wanted:
            return self._wanted[value]
        if order is None:
            order = range(len(value.shape)) if tree is None else _layout(value, tree)
        if value in self._in_frames:
            frame = self._in_frames[value]
            axes = axes_in(frame)
            self._places[frame] = self._framed(frame, [axes[axis] for axis in order])
            inside = inside_of(self._places[frame], frame)
            return Access(inside.buffer, inside.start, tuple(inside.steps[axis] for axis in axes))
        joined = self._in_rooms.get(value)
        if joined is not None and in_memory_order(joined, value.shape, order):
            return joined
        in_order = range(len(value.shape)) if value in self._in_order else order
        return self._memory(value.shape, in_order, self._dtype(value), self._gap(value, in_order))

    def _gap(self, value: ArrayValue, order: Sequence[int]) -> int:
        """Return how many elements to leave free behind each row of a value, whose axes follow in this order."""
        return 0

    @staticmethod
    def _dtype(value: ArrayValue) -> str:
        """Return the element type that a value has in memory."""
        return HALF if value.is_half else "float32"

    def _memory(self, shape: Sizes, order: Sequence[int], dtype: str, gap: int = 0) -> Access:
        """Return new scratch whose axes follow each other in an order, outermost first; rows may leave a gap."""
        steps, step = [0] * len(shape), 1
        for axis in reversed(order):
            steps[axis] = step
            step = step * shape[axis] + gap * (axis == order[-1])
        return Access(self._new(step, dtype=dtype), 0, tuple(steps))

    # -- values

    def _place(self, value: ArrayValue) -> Access:
        """Return where a value lies, after kernels that put it there."""
        found = self._places.get(value)
        if found is None:
            found = self._places[value] = self._made(value)
        return found

    def _made(self, value: ArrayValue) -> Access:
        match value:
            case Given():
                place = whole(self._outside(value), value.shape)
            case Table():
                place = whole(self._table(value), value.shape)
            case StoredArray():
                place = self._place(value.source)
            case Flat():
                place = self._flat(value)
            case ArrayView():
                place = viewed_at(self._place(value.source), value.index, len(value.shape))
            case Joined():
                place = self._join(value)
            case Scattered():
                place = self._scatter(value)
            case Padded():
                place = self._pad(value)
            case Reduce():
                place = self._fold(value)
            case Product():
                place = self._multiply(value)
            case Map():
                place = self._loop(value)
            case _:
                place = self._gather(value) if isinstance(value, Gathered) else self._filled(value)
        return place

    def _outside(self, value: Given) -> Buffer:
        """Return the buffer of an array that is given, the same for all values that represent it."""
        if value.number not in self._given:
            self._given[value.number] = self._new(value.size, given=value.number, dtype=value.dtype)
        return self._given[value.number]

    def _table(self, value: Table) -> Buffer:
        """Return a buffer that holds the numbers of a table."""
        assert value.raw is not None
        buffer = Buffer(len(self._buffers), value.size, fixed=True)
        self._buffers.append(buffer)
        self._tables[buffer] = value.raw
        return buffer

    def _flat(self, value: Flat) -> Access:
        """Return the elements of a value in another shape, without a copy if their layout allows it."""
        found = reshaped_at(self._place(value.source), value.source.shape, value.shape)
        if found is not None:
            return found
        copy = self._new(value.size, dtype=self._dtype(value))
        self._copy(value.source, whole(copy, value.source.shape))
        return whole(copy, value.shape)

    def _copy(self, value: ArrayValue, target: Access) -> None:
        tree = Tree(value, {} if isinstance(value, Number) else {value: self._place(value)})
        self._kernels.append(Loop(value.shape, tree, target))

    def _loop(self, value: Map) -> Access:
        members = self._members(value)
        finished = self._finish(value, members)
        if finished is not None:
            return finished
        tree = self._tree(value, members)
        target = self._room(value, tree)
        self._kernels.append(self._arranged(Loop(value.shape, tree, target)))
        return target

    def _arranged(self, loop: Loop) -> Loop:
        """Return a loop whose inputs are arranged for the engine, adding kernels that arrange them."""
        return loop

    def _filled(self, value: ArrayValue) -> Access:
        target = self._room(value)
        self._kernels.append(Loop(value.shape, Tree(value, {}), target))
        return target

    def _join(self, value: Joined) -> Access:
        """Return the parts joined, in the layout of the largest part."""
        target = self._rooms.get(value)
        if target is None:
            steps = self._place(max(value.parts, key=lambda part: part.size)).steps
            target = self._room(value, order=sorted(range(len(steps)), key=lambda axis: (-abs(steps[axis]), axis)))
        for part, place in _places_of_parts(value, target):
            if isinstance(part, Number) or not same_elements(self._place(part), place, part.shape):
                self._copy(part, place)
        return target

    def _scatter(self, value: Scattered) -> Access:
        """Return zeros with parts added. A part that nothing else needs is computed in its final place."""
        room = self._room(value, order=self._order_of(value.parts[0].value))
        if not value.covered:
            self._kernels.append(Loop(value.shape, Tree(Number(value.shape), {}), room))
        for part in value.parts:
            start = room.start + sum(at * step for at, step in zip(part.starts, room.steps, strict=True))
            steps = tuple(own * step for own, step in zip(part.steps, room.steps, strict=True))
            place = Access(room.buffer, start, steps)
            if part.earlier is not None:
                self._places[part.earlier] = place
            fresh = isinstance(part.value, (Map, Product)) and part.value not in self._places
            if fresh and self._only_for(part.value, {value}):
                self._wanted[part.value] = place
                self._place(part.value)
            else:
                self._copy(part.value, place)
        return room

    def _order_of(self, value: ArrayValue) -> list[int]:
        """Return the axes of a value in the order in which its elements are best written, outermost first."""
        if isinstance(value, Number):
            return list(range(len(value.shape)))
        if value in self._places or not isinstance(value, (Map, Product)):
            steps = self._place(value).steps
            return sorted(range(len(steps)), key=lambda axis: (-abs(steps[axis]), axis))
        members = self._members(value) if isinstance(value, Map) else {}
        order = self._finished_order(value, members)
        return _layout(value, self._tree(value, members)) if order is None else order

    def _fold(self, value: Reduce) -> Access:
        source = value.source
        inside = isinstance(source, Map) and self._only_for(source, {value}) and source not in self._places
        members = self._members(source) if inside else {}
        tree = self._tree(source, members)
        room = self._room(value)
        steps, kept = [0] * len(source.shape), iter(room.steps)
        for axis in range(len(source.shape)):
            if axis not in value.axes:
                steps[axis] = next(kept)
        target = Access(room.buffer, room.start, tuple(steps))
        self._kernels.append(Fold(source.shape, value.axes, value.function, tree, target))
        return room

    def _pad(self, value: Padded) -> Access:
        """Return a value in its frame. A value without a place yet is computed there."""
        self._place(value.source)
        if value in self._places:
            return self._places[value]
        place = self._framed(value)
        self._copy(value.source, inside_of(place, value))
        return place

    def _framed(self, value: Padded, order: Sequence[int] | None = None) -> Access:
        """Return new memory for a padded value, with kernels that fill the frame."""
        axes = range(len(value.shape)) if order is None or value.in_order else order
        place = self._wanted.get(value) or self._memory(value.shape, axes, self._dtype(value))
        sizes, corner = list(value.shape), place.start
        for axis, (before, inner) in enumerate(zip(value.before, value.source.shape, strict=True)):
            for begin, count in ((0, before), (before + inner, sizes[axis] - before - inner)):
                if count:
                    slab = (*sizes[:axis], count, *sizes[axis + 1 :])
                    target = Access(place.buffer, corner + begin * place.steps[axis], place.steps)
                    self._kernels.append(Loop(slab, Tree(Number(slab, number=value.number), {}), target))
            corner += before * place.steps[axis]
            sizes[axis] = inner
        return place

    # -- what is computed together

    def _stands_alone(self, value: ArrayValue) -> bool:
        """Return whether a value is stored in any case. Such are placed in order, so that no graph is too deep."""
        if isinstance(value, Map):
            takers = self._consumers[value]
            in_place = len(takers) == 1 and isinstance(next(iter(takers)), Scattered)
            return not value.predicate and not in_place and any(not isinstance(c, (Map, Reduce)) for c in takers)
        return isinstance(value, (Reduce, Joined, Scattered, Padded, Flat, Gathered))

    def _only_for(self, value: ArrayValue, members: Iterable[ArrayValue]) -> bool:
        return value not in self._wanted and self._consumers[value] <= set(members)

    def _members(self, root: ArrayValue) -> Members:
        """Return the functions computed inside the loop of `root`: functions that only it needs."""
        members: Members = {root: None}
        waiting = [root]
        while waiting:
            later = []
            for argument in (a for member in waiting for a in member.sources):
                if argument not in members and self._joins(argument, root, members):
                    members[argument] = None
                    later.append(argument)
            waiting = later or self._newly_free(members, root)
        return members

    def _joins(self, argument: ArrayValue, root: ArrayValue, members: Members) -> bool:
        """Return whether an argument is computed in the loop. Truth values always are: they are never stored."""
        if not isinstance(argument, Map) or argument in self._places:
            return False
        return argument.predicate or (argument.size == root.size and self._only_for(argument, members))

    def _newly_free(self, members: Members, root: ArrayValue) -> list[ArrayValue]:
        """Return functions, now added to the members, that only the members use after other additions."""
        found = []
        for argument in dict.fromkeys(a for member in members for a in member.sources):
            if argument not in members and self._joins(argument, root, members):
                members[argument] = None
                found.append(argument)
        return found

    def _tree(self, root: ArrayValue, members: Members, product: ArrayValue | None = None) -> Tree:
        if root is product:
            return Tree(root, {})
        if root not in members:
            return Tree(root, {root: self._place(root)})
        leaves: dict[ArrayValue, Access] = {}
        for member in members:
            for argument in member.sources:
                if argument in members or argument in leaves or argument is product or isinstance(argument, Number):
                    continue
                leaves[argument] = repeated_at(self._place(argument), argument.shape, root.shape)
        return Tree(root, leaves)


def _places_of_parts(joined: Joined, room: Access) -> Iterator[tuple[ArrayValue, Access]]:
    """Yield the parts of a joined value, each with its place in a room for all."""
    start = room.start
    for part in joined.parts:
        yield part, Access(room.buffer, start, room.steps)
        start += part.shape[joined.axis] * room.steps[joined.axis]


def _origin(value: ArrayValue, place: Access) -> tuple[ArrayValue, Access | None]:
    """Return the source whose elements a value shows completely, and its place; None for an unknown place."""
    seen: Access | None = place
    while seen is not None and isinstance(value, (StoredArray, ArrayView)):
        seen = shown_at(seen, value) if isinstance(value, ArrayView) else seen
        value = value.source
    return value, seen


def _stored(value: ArrayValue) -> ArrayValue:
    return value.source if isinstance(value, StoredArray) else value


def _layout(value: ArrayValue, tree: Tree) -> list[int]:
    """Return the axes of a new value in the order of what it reads, outermost first."""
    full = [leaf for v, leaf in tree.leaves.items() if v.size == value.size]
    if not full:
        return list(range(len(value.shape)))
    return sorted(range(len(value.shape)), key=lambda axis: (-abs(full[0].steps[axis]), axis))
