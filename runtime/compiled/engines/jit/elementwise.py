"""Native code of loops over elements and of reductions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import frexp, inf, isfinite
from typing import Any

from hybridlint.runtime.compiled.engines.jit.functions import FUNCTIONS, power
from hybridlint.runtime.compiled.engines.jit.lanes import Lanes
from hybridlint.runtime.compiled.engines.jit.llvm import ir
from hybridlint.runtime.compiled.engines.jit.sharing import shared_axis
from hybridlint.runtime.compiled.engines.jit.writer import IRWriter
from hybridlint.runtime.compiled.lowering.kernels import Access, Fold, Loop
from hybridlint.runtime.compiled.lowering.places import LoopNest, by_steps, merge_axes
from hybridlint.runtime.compiled.lowering.values import ArrayValue, Map, Number, Sizes

#: What a reduction starts with, where there is nothing yet.
_IDENTITY = {"add": 0.0, "multiply": 1.0, "maximum": -inf, "minimum": inf}
#: So many numbers are added up one after another; sums of sums follow, which keeps rounding errors small.
_LONGEST_SUM = 4096
#: The smallest number of float32 that has all its digits: the inverses of it and of its inverse have them, too.
_LEAST_POWER = 2.0**-126


def evaluate_value(writer: IRWriter, root: ArrayValue, leaves: Mapping[ArrayValue, Any]) -> Any:
    """Return the vector of a value, given those of the leaves of its tree."""
    known = dict(leaves)
    waiting = [root]
    while waiting:
        value = waiting[-1]
        if value in known:
            waiting.pop()
            continue
        missing = [source for source in value.sources if source not in known and not _is_exponent(value, source)]
        if missing:
            waiting += missing
            continue
        known[value] = _vector(writer, value, known)
        waiting.pop()
    return known[root]


def _is_exponent(value: ArrayValue, source: ArrayValue) -> bool:
    return isinstance(value, Map) and value.function == "power" and source is value.arguments[1]


def _vector(writer: IRWriter, value: ArrayValue, known: Mapping[ArrayValue, Any]) -> Any:
    m = writer.lanes
    if isinstance(value, Number):
        return m.const(value.number)
    assert isinstance(value, Map)
    if value.function == "power":
        exponent = value.arguments[1]
        assert isinstance(exponent, Number)
        return power(m, known[value.arguments[0]], exponent.number)
    found = _with_number(m, value, known)
    return FUNCTIONS[value.function](m, *(known[a] for a in value.arguments)) if found is None else found


def _with_number(m: Lanes, value: Map, known: Mapping[ArrayValue, Any]) -> Any:
    """Return the vector of a function that is cheaper because one argument is a number; else None."""
    *others, last = value.arguments
    if value.function == "add" and isinstance(others[0], Number):
        others, last = [last], others[0]
    if not isinstance(last, Number):
        return None
    if value.function == "divide" and _has_exact_inverse(last.number):
        return m.mul(known[others[0]], m.const(1 / last.number))
    if value.function not in {"add", "subtract"}:
        return None
    # A product to which a number is added is rounded once. Not one to which anything else is: a product less what is
    # equal to it has to be 0.
    factors = _factors(others[0])
    if factors is None or any(factor not in known for factor in factors):
        # There is no product, or it was computed elsewhere and is a leaf here.
        return None
    x, y = (known[factor] for factor in factors)
    return m.fma(x, y, m.const(last.number if value.function == "add" else -last.number))


def _factors(value: ArrayValue) -> tuple[ArrayValue, ArrayValue] | None:
    """Return the factors of a value that is a product; None for other values."""
    if not isinstance(value, Map) or value.function not in {"multiply", "square"}:
        return None
    first, *rest = value.arguments
    return first, rest[0] if rest else first


def _has_exact_inverse(number: float) -> bool:
    """Return whether to divide by a number is to multiply by another one: whether it is a power of two."""
    return isfinite(number) and abs(frexp(number)[0]) == 0.5 and _LEAST_POWER <= abs(number) <= 1 / _LEAST_POWER


def write_loop(writer: IRWriter, kernel: Loop) -> None:
    """Write a loop over elements."""
    values = list(kernel.tree.leaves)
    accesses = [kernel.target, *(kernel.tree.leaves[v] for v in values)]
    nest, _ = merge_axes(kernel.sizes, accesses, by_steps(kernel.target))
    sizes, steps = nest.sizes or (1,), [s or (1,) for s in nest.steps]

    def row(indices: list[Any]) -> None:
        starts = [_start(writer, a, s, indices) for a, s in zip(accesses, steps, strict=True)]
        fixed = {v: writer.load(at, 0, 1) for v, at, s in zip(values, starts[1:], steps[1:], strict=True) if not s[-1]}

        def part(at: Any, count: int) -> None:
            vectors = dict(fixed)
            for v, start, s in zip(values, starts[1:], steps[1:], strict=True):
                if s[-1]:
                    vectors[v] = writer.load(_along(writer, start, at, s[-1]), s[-1], count)
            result = evaluate_value(writer, kernel.tree.root, vectors)
            writer.store(result, _along(writer, starts[0], at, steps[0][-1]), steps[0][-1], count)

        writer.parts(sizes[-1], part, shared=shared == len(sizes) - 1)

    shared = shared_axis([*sizes[:-1], sizes[-1] // writer.lanes.count])
    with writer.once(shared is None):
        writer.nest(sizes[:-1], row, shared)


def _start(writer: IRWriter, access: Access, steps: Sizes, indices: Sequence[Any]) -> Any:
    return writer.address(Access(access.buffer, access.start, steps[: len(indices)]), indices)


def _along(writer: IRWriter, start: Any, at: Any, step: int) -> Any:
    return writer.moved(start, writer.b.mul(at, writer.const(step)))


def write_fold(writer: IRWriter, kernel: Fold) -> None:
    """Write a reduction, with vectors along the axis whose elements lie together."""
    values = list(kernel.tree.leaves)
    leaves = [kernel.tree.leaves[v] for v in values]
    widest = max(leaves, key=lambda leaf: sum(step != 0 for step in leaf.steps), default=None)
    order = by_steps(widest) if widest else list(range(len(kernel.sizes)))
    kept = [axis for axis in order if axis not in kernel.axes]
    dropped = [axis for axis in order if axis in kernel.axes]
    nest, summed = merge_axes(kernel.sizes, [kernel.target, *leaves], [*kept, *dropped], kernel.axes)
    along_kept = bool(kept) and order[-1] in kept and kernel.sizes[order[-1]] > 1
    _Folding(writer, kernel, values, nest, len(nest.sizes) - len(summed)).write(along_kept=along_kept)


class _Folding:
    """A reduction after merging: the first `kept` axes stay, the others are combined."""

    def __init__(self, writer: IRWriter, kernel: Fold, values: list[ArrayValue], nest: LoopNest, kept: int) -> None:
        self.writer, self.kernel, self.values, self.nest, self.kept = writer, kernel, values, nest, kept
        self.accesses = [kernel.target, *(kernel.tree.leaves[v] for v in values)]
        self.combine: Callable[..., Any] = FUNCTIONS[kernel.function]
        self.identity = writer.lanes.const(_IDENTITY[kernel.function])

    def write(self, *, along_kept: bool) -> None:
        """Write it, with vectors along the last kept axis or along the last one of the others."""
        w, outer = self.writer, self.nest.sizes[: self.kept]
        if not (along_kept and outer):
            shared = shared_axis(outer)
            with w.once(shared is None):
                w.nest(outer, self._row, shared)
            return
        shared, last = shared_axis([*outer[:-1], outer[-1] // w.lanes.count]), len(outer) - 1
        with w.once(shared is None):
            w.nest(outer[:-1], lambda i: w.parts(outer[-1], self._column(i), shared=shared == last), shared)

    def _elements(self, indices: Sequence[Any], axis: int, count: int) -> Any:
        """Return the vector of elements at these indices, so many along an axis."""
        vectors = {}
        for v, access, steps in zip(self.values, self.accesses[1:], self.nest.steps[1:], strict=True):
            step = steps[axis] if steps else 0
            vectors[v] = self.writer.load(_start(self.writer, access, steps, indices), step, count)
        return evaluate_value(self.writer, self.kernel.tree.root, vectors)

    def _column(self, indices: list[Any]) -> Callable[[Any, int], None]:
        def part(at: Any, count: int) -> None:
            place = [*indices, at]
            total = self._total(
                list(self.nest.sizes[self.kept :]), place, lambda i: self._elements(i, self.kept - 1, count)
            )
            step = self.nest.steps[0][self.kept - 1]
            self.writer.store(total, _start(self.writer, self.accesses[0], self.nest.steps[0], place), step, count)

        return part

    def _row(self, indices: list[Any]) -> None:
        w, sizes = self.writer, list(self.nest.sizes[self.kept :])
        start = _start(w, self.accesses[0], self.nest.steps[0], indices)
        if not sizes:
            w.store(self._elements(indices, len(indices) - 1, 1), start, 1, 1)
            return
        length, lanes = sizes.pop(), w.lanes.count
        whole = length // lanes * lanes
        total = self._total(sizes, indices, lambda i: self._line(i, whole, lanes)) if whole else self.identity
        if length > whole:
            rest = self._total(sizes, indices, lambda i: self._rest(i, whole, length - whole))
            total = self.combine(w.lanes, total, rest)
        w.store(self._across(total), start, 1, 1)

    def _line(self, indices: list[Any], whole: int, lanes: int) -> Any:
        """Return the vector of combined vectors along the last axis, in blocks."""
        block = _LONGEST_SUM * lanes
        full, rest = divmod(whole, block)
        last = len(self.nest.sizes) - 1

        def elements(place: list[Any]) -> Any:
            *outer, first, at = place
            b, zero = self.writer.b, self.writer.const(0)
            vectors = b.mul(at if at is not None else zero, self.writer.const(lanes))
            return self._elements([*outer, b.add(first, vectors)], last, lanes)

        def blocks(place: list[Any]) -> Any:
            *outer, k = place
            first = self.writer.b.mul(k if k is not None else self.writer.const(0), self.writer.const(block))
            return self._total([_LONGEST_SUM], [*outer, first], elements)

        total = self._total([full], indices, blocks) if full else None
        if rest:
            more = self._total([rest // lanes], [*indices, self.writer.const(full * block)], elements)
            total = more if total is None else self.combine(self.writer.lanes, total, more)
        return total

    def _rest(self, indices: list[Any], whole: int, count: int) -> Any:
        """Return the last elements of a row, and in the lanes beyond what changes nothing."""
        w = self.writer
        vector = self._elements([*indices, w.const(whole)], len(self.nest.sizes) - 1, count)
        return w.b.select(w.first(count), vector, self.identity)

    def _total(self, sizes: list[int], before: Sequence[Any], element: Callable[[list[Any]], Any]) -> Any:
        """Return vectors combined over indices of these sizes, which follow those `before`."""
        return self._nested(sizes, list(before), element)

    def _nested(self, sizes: list[int], indices: list[Any], element: Callable[[list[Any]], Any]) -> Any:
        if not sizes:
            return element(indices)
        if sizes[0] == 1:
            return self._nested(sizes[1:], [*indices, None], element)
        w = self.writer
        before = w.b.block
        with w.loop(sizes[0]) as counter:
            total = w.b.phi(w.lanes.floats)
            total.add_incoming(self.identity, before)
            combined = self.combine(w.lanes, total, self._nested(sizes[1:], [*indices, counter], element))
            total.add_incoming(combined, w.b.block)
        return combined

    def _across(self, vector: Any) -> Any:
        """Return the combination of all lanes, in the first one."""
        w = self.writer
        reach = w.lanes.count // 2
        while reach:
            order = [(lane + reach) % w.lanes.count for lane in range(w.lanes.count)]
            mask = ir().Constant(ir().VectorType(w.lanes.whole, w.lanes.count), order)
            vector = self.combine(w.lanes, vector, w.b.shuffle_vector(vector, vector, mask))
            reach //= 2
        return vector
