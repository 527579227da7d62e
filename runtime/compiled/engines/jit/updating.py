"""Native code of optimizers' update operators: one loop over a weight, its gradient and its states, of any size."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hybridlint.runtime.compiled.engines.jit.elementwise import evaluated
from hybridlint.runtime.compiled.engines.jit.kernels import Access, Buffer
from hybridlint.runtime.compiled.engines.jit.llvm import Compiled, compiled, ir
from hybridlint.runtime.compiled.engines.jit.module import TracedModule
from hybridlint.runtime.compiled.engines.jit.segment import address_of
from hybridlint.runtime.compiled.engines.jit.target import Target
from hybridlint.runtime.compiled.engines.jit.traced import Traced
from hybridlint.runtime.compiled.engines.jit.values import CannotLower, Given, Map, Number, Value
from hybridlint.runtime.compiled.engines.jit.writer import WIDTH, Writer
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.platforms.numpy_platform import NUMPY
from hybridlint.runtime.platforms.protocol import Raw

_MODULE = TracedModule()
_ARRAY, _FLOAT = NUMPY.xp.ndarray, NUMPY.xp.dtype("float32")
#: The size of each axis while an update is traced; its code works for any.
_SOME = 3
#: An operator whose other parameters keep changing is left to numpy after so many.
_MOST_VARIANTS = 8


@dataclass(frozen=True, slots=True)
class _Rule:
    """What an update computes: the new value of each array that changes, by its position among the inputs.

    `numbers` are what the code takes instead of the rates: functions of rates alone, computed once in double precision.
    """

    arrays: Sequence[Given]
    rates: Sequence[Given]
    numbers: Sequence[Value]
    changed: Mapping[int, Value]

    def computed(self, rates: Sequence[float]) -> list[float]:
        """Return the numbers for rates."""
        known: dict[Value, float] = dict(zip(self.rates, rates, strict=True))
        return [_number(value, known) for value in self.numbers]


def _number(value: Value, known: dict[Value, float]) -> float:
    if value in known:
        return known[value]
    if isinstance(value, Number):
        return value.number
    assert isinstance(value, Map)
    arguments = [_number(argument, known) for argument in value.arguments]
    result = known[value] = float(getattr(NUMPY.xp, value.function)(*arguments))
    return result


class Updates:
    """Update operators as native functions, made when they are first called."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._rates: dict[Operator, tuple[str, ...]] = {}
        self._made: dict[Operator, dict[Any, _Update | None]] = {}

    def update(self, op: Operator, raws: Sequence[Raw], params: Mapping[str, Any]) -> Sequence[int]:
        """Change a weight, the first array, and its states in place. Return which arrays changed, none if it cannot."""
        if not _fits(raws):
            return ()
        rates = self._rates.get(op)
        if rates is None:
            rates = self._rates[op] = _rates(op, raws, params)
        made = self._made.setdefault(op, {})
        key = (len(raws), raws[0].ndim, *(value for name, value in params.items() if name not in rates))
        if key not in made:
            made[key] = self._compiled(op, raws, params, rates) if len(made) < _MOST_VARIANTS else None
        found = made[key]
        return () if found is None else found(raws, [params[name] for name in rates])

    def _compiled(
        self, op: Operator, raws: Sequence[Raw], params: Mapping[str, Any], rates: Sequence[str]
    ) -> _Update | None:
        try:
            rule = _traced(op, raws, params, rates)
        except CannotLower:
            return None
        return _Update(compiled(_written(rule, self._target), self._target), rule)


class _Update:
    def __init__(self, native: Compiled, rule: _Rule) -> None:
        self._native = native
        self._call: Callable[[int], None] = native.function("run0")
        self._rule = rule
        self._changed = tuple(rule.changed)
        self._last: tuple[Sequence[float], Any] | None = None

    def __call__(self, raws: Sequence[Raw], rates: Sequence[float]) -> Sequence[int]:
        """Change arrays of equal size in place. Return which."""
        known = self._last
        if known is None or known[0] != rates:
            numbers = self._rule.computed(rates)
            known = self._last = rates, (ctypes.c_float * max(len(numbers), 1))(*numbers)
        size = ctypes.c_int64(raws[0].size)
        places = [address_of(raw) for raw in raws]
        table = (ctypes.c_void_p * (len(raws) + 2))(*places, ctypes.addressof(known[1]), ctypes.addressof(size))
        self._call(ctypes.addressof(table))
        return self._changed


def _fits(raws: Sequence[Raw]) -> bool:
    """Return whether all arrays are float32, of one shape, in their order in memory, and can be written."""
    shape = raws[0].shape
    return raws[0].size > 0 and all(
        raw.shape == shape and raw.dtype == _FLOAT and type(raw) is _ARRAY and raw.flags.carray for raw in raws
    )


def _rates(op: Operator, raws: Sequence[Raw], params: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the parameters on whose values no code depends, such as the learning rate."""
    found = []
    for name, value in params.items():
        if isinstance(value, float):
            try:
                _traced(op, raws, params, [name])
            except CannotLower:
                continue
            found.append(name)
    return tuple(found)


def _traced(op: Operator, raws: Sequence[Raw], params: Mapping[str, Any], rates: Sequence[str]) -> _Rule:
    """Run an operator's kernel on arrays and rates that hold no numbers. Raises CannotLower."""
    shape = (_SOME,) * raws[0].ndim
    arrays = [Given(shape, number=k) for k in range(len(raws))]
    numbers = [Given((), number=len(raws) + k) for k in range(len(rates))]
    given = [Traced(array, writable=k > 1) for k, array in enumerate(arrays)]
    told = {**params, **{name: Traced(number, writable=False) for name, number in zip(rates, numbers, strict=True)}}
    try:
        result = op.kernel(_MODULE, *given, **told)
    except (TypeError, ValueError, AttributeError, IndexError, KeyError, AssertionError) as error:
        raise CannotLower(f"{type(error).__name__}: {error}") from error
    if not isinstance(result, Traced):
        raise CannotLower("an update of several weights")
    changed = {k: array.value for k, array in enumerate(given) if array.value is not arrays[k]}
    found = {0: result.value, **changed}
    if not all(value.shape == shape for value in found.values()):
        raise CannotLower("an update of another shape")
    return _Rule(arrays, numbers, _numbers(found.values()), found)


def _numbers(results: Iterable[Value]) -> tuple[Value, ...]:
    """Return the parts of results that are numbers. Raises CannotLower where a result is no function of elements."""
    seen: dict[Value, None] = {}
    waiting = list(results)
    while waiting:
        part = waiting.pop()
        if part in seen:
            continue
        seen[part] = None
        if not isinstance(part, (Map, Given, Number)):
            raise CannotLower("an update that is no function of elements")
        if isinstance(part, Map) and not part.shape and (part.predicate or not hasattr(NUMPY.xp, part.function)):
            raise CannotLower("a decision on rates")
        waiting += part.sources
    used = dict.fromkeys(source for part in seen if part.shape for source in part.sources)
    return tuple(part for part in used if not part.shape and not isinstance(part, Number))


def _written(rule: _Rule, target: Target) -> str:
    """Return the IR of ``run0``, which takes a table: the arrays, the rates, and the number of elements."""
    module = ir().Module()
    buffers = [Buffer(k, 0) for k in range(len(rule.arrays) + 2)]
    writer = Writer(module, "update", target.lanes, [(buffer, 0) for buffer in buffers])
    _Writing(writer, rule, buffers).write()
    writer.end()
    pointer, count = ir().PointerType(), ir().IntType(64)
    run = ir().Function(module, ir().FunctionType(ir().VoidType(), [pointer]), "run0")
    builder = ir().IRBuilder(run.append_basic_block("entry"))
    slots = [builder.gep(run.args[0], [ir().Constant(count, k)], source_etype=pointer) for k in range(len(buffers))]
    builder.call(writer.function, [builder.load(slot, typ=pointer) for slot in slots])
    builder.ret_void()
    return str(module)


class _Writing:
    def __init__(self, writer: Writer, rule: _Rule, buffers: Sequence[Buffer]) -> None:
        self.w, self.rule = writer, rule
        *arrays, rates, count = (writer.address(Access(buffer, 0, ()), []) for buffer in buffers)
        self.arrays = arrays
        self.size = writer.b.load(count, typ=writer.count)
        self.fixed: dict[Value, Any] = {
            number: writer.load(writer.moved(rates, k), 0, 1) for k, number in enumerate(rule.numbers)
        }

    def write(self) -> None:
        """Write the loop over whole vectors, and what is left over."""
        w, b = self.w, self.w.b
        lanes = w.const(w.lanes.count)
        whole = b.mul(b.udiv(self.size, lanes), lanes)
        before = b.block
        check, body, after, rest, end = (
            w.function.append_basic_block(name) for name in ("check", "body", "after", "rest", "end")
        )
        b.branch(check)
        b.position_at_end(check)
        at = b.phi(w.count)
        at.add_incoming(w.const(0), before)
        b.cbranch(b.icmp_unsigned("<", at, whole), body, after)
        b.position_at_end(body)
        self._part(at, None)
        at.add_incoming(b.add(at, lanes), b.block)
        b.branch(check)
        b.position_at_end(after)
        b.cbranch(b.icmp_unsigned("<", whole, self.size), rest, end)
        b.position_at_end(rest)
        self._part(whole, self._first(b.sub(self.size, whole)))
        b.branch(end)
        b.position_at_end(end)

    def _first(self, count: Any) -> Any:
        """Return the truth of the first lanes, whose number is computed."""
        m = self.w.lanes
        one = self.w.b.insert_element(
            ir().Constant(m.ints, ir().Undefined), self.w.b.trunc(count, m.whole), ir().Constant(m.whole, 0)
        )
        limits = self.w.b.shuffle_vector(one, one, ir().Constant(m.ints, [0] * m.count))
        return self.w.b.icmp_unsigned("<", ir().Constant(m.ints, list(range(m.count))), limits)

    def _part(self, at: Any, mask: Any) -> None:
        places = [self.w.moved(array, at) for array in self.arrays]
        known = dict(self.fixed)
        known.update({array: self._load(place, mask) for array, place in zip(self.rule.arrays, places, strict=True)})
        results = {k: evaluated(self.w, value, known) for k, value in self.rule.changed.items()}
        for k, vector in results.items():
            self._store(vector, places[k], mask)

    def _load(self, place: Any, mask: Any) -> Any:
        m = self.w.lanes
        if mask is None:
            return self.w.load(place, 1, m.count)
        kind = ir().FunctionType(m.floats, [self.w.pointer, m.whole, m.truth, m.floats])
        function = m.declared(f"llvm.masked.load.v{m.count}f32.p0", kind)
        return self.w.b.call(function, [place, ir().Constant(m.whole, WIDTH), mask, m.const(0.0)])

    def _store(self, vector: Any, place: Any, mask: Any) -> None:
        m = self.w.lanes
        if mask is None:
            self.w.store(vector, place, 1, m.count)
            return
        kind = ir().FunctionType(ir().VoidType(), [m.floats, self.w.pointer, m.whole, m.truth])
        function = m.declared(f"llvm.masked.store.v{m.count}f32.p0", kind)
        self.w.b.call(function, [vector, place, ir().Constant(m.whole, WIDTH), mask])
