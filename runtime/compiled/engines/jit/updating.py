"""Native code of optimizers' update operators: one loop over a weight, its gradient and its states, of any size."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from weakref import ref

from hybridlint.runtime.compiled.engines.jit.elementwise import evaluate_value
from hybridlint.runtime.compiled.engines.jit.functions import ABILITIES
from hybridlint.runtime.compiled.engines.jit.llvm import Compiled, compile_ir, ir
from hybridlint.runtime.compiled.engines.jit.segment import address_of
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from hybridlint.runtime.compiled.engines.jit.writer import WIDTH, IRWriter
from hybridlint.runtime.compiled.lowering.kernels import Access, Buffer
from hybridlint.runtime.compiled.lowering.updates import UpdateRule, Updates
from hybridlint.runtime.compiled.lowering.values import ArrayValue
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.platforms.numpy_platform import NUMPY
from hybridlint.runtime.platforms.protocol import Raw

_ARRAY, _FLOAT = NUMPY.xp.ndarray, NUMPY.xp.dtype("float32")


class NativeUpdates:
    """Update operators as native functions, for one kind of processor. Threads may share it."""

    def __init__(self, target: TargetProcessor) -> None:
        self._updates = Updates(
            ABILITIES, _fits, lambda rule: _Update(compile_ir(_written(rule, target), target), rule)
        )
        #: What was done last to each weight, by the identity of its array.
        self._bound: dict[int, _Bound] = {}

    def update(self, op: Operator, raws: Sequence[Raw], params: Mapping[str, Any]) -> Sequence[int]:
        """Change a weight, the first array, and its states in place. Return which arrays changed, none if it cannot."""
        place = id(raws[0])
        bound = self._bound.get(place)
        if bound is None or not bound.serves(op, raws, params):
            found = self._updates.found(op, raws, params)
            if found is None:
                return ()
            update, rates = found
            assert isinstance(update, _Update)
            bound = self._bound[place] = _Bound(op, raws, params, update, rates, lambda _: self._bound.pop(place, None))
        return bound.run(params)


class _Update:
    """The native code of a rule, which takes a table: the arrays, the rates, and the number of elements."""

    def __init__(self, native: Compiled, rule: UpdateRule) -> None:
        self._native = native
        self.call: Callable[[int], None] = native.function("run0")
        self.rule = rule
        self.changed = tuple(rule.changed)

    def __call__(self, raws: Sequence[Raw], rates: Sequence[float]) -> Sequence[int]:
        """Change arrays of equal size in place. Return which."""
        numbers = self.rule.computed(rates)
        table = _Table(raws, numbers)
        self.call(table.place)
        return self.changed


class _Table:
    """Addresses of arrays, and numbers, as native code takes them."""

    def __init__(self, raws: Sequence[Raw], numbers: Sequence[float]) -> None:
        self.numbers = (ctypes.c_float * max(len(numbers), 1))(*numbers)
        self._size = ctypes.c_int64(raws[0].size)
        addresses = [*map(address_of, raws), ctypes.addressof(self.numbers), ctypes.addressof(self._size)]
        self._addresses = (ctypes.c_void_p * len(addresses))(*addresses)
        self.place = ctypes.addressof(self._addresses)


class _Bound:
    """An update of certain arrays, which are not kept alive; their memory and kind stay as they are."""

    def __init__(
        self,
        op: Operator,
        raws: Sequence[Raw],
        params: Mapping[str, Any],
        update: _Update,
        rates: Sequence[str],
        forget: Callable[[Any], Any],
    ) -> None:
        weight, *others = raws
        self._arrays = [ref(weight, forget), *map(ref, others)]
        self._op, self._params, self._update, self._rates = op, dict(params), update, rates
        self._table = _Table(raws, update.rule.computed([params[name] for name in rates]))

    def serves(self, op: Operator, raws: Sequence[Raw], params: Mapping[str, Any]) -> bool:
        """Return whether the arrays are the same, and the parameters except the rates."""
        if op is not self._op or len(raws) != len(self._arrays):
            return False
        for raw, known in zip(raws, self._arrays, strict=True):
            if known() is not raw:
                return False
        return (
            params == self._params or {**params, **{name: self._params[name] for name in self._rates}} == self._params
        )

    def run(self, params: Mapping[str, Any]) -> Sequence[int]:
        """Update at these rates. Return which arrays changed."""
        update = self._update
        if params != self._params:
            # Another thread that updates the same arrays has the old numbers or the new ones.
            for k, number in enumerate(update.rule.computed([params[name] for name in self._rates])):
                self._table.numbers[k] = number
            self._params = dict(params)
        update.call(self._table.place)
        return update.changed


def _fits(raws: Sequence[Raw]) -> bool:
    """Return whether all arrays are float32, of one shape, in their order in memory, and can be written."""
    shape = raws[0].shape
    return raws[0].size > 0 and all(
        raw.shape == shape and raw.dtype == _FLOAT and type(raw) is _ARRAY and raw.flags.carray for raw in raws
    )


def _written(rule: UpdateRule, target: TargetProcessor) -> str:
    """Return the IR of ``run0``, which takes a table: the arrays, the rates, and the number of elements."""
    module = ir().Module()
    buffers = [Buffer(k, 0) for k in range(len(rule.arrays) + 2)]
    writer = IRWriter(module, "update", target.lanes, [(buffer, 0) for buffer in buffers])
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
    def __init__(self, writer: IRWriter, rule: UpdateRule, buffers: Sequence[Buffer]) -> None:
        self.w, self.rule = writer, rule
        *arrays, rates, count = (writer.address(Access(buffer, 0, ()), []) for buffer in buffers)
        self.arrays = arrays
        self.size = writer.b.load(count, typ=writer.count)
        self.fixed: dict[ArrayValue, Any] = {
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
        results = {k: evaluate_value(self.w, value, known) for k, value in self.rule.changed.items()}
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
