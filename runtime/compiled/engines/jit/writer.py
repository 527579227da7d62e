"""Writes one native function: counted loops, addresses, and vectors that are loaded and stored.

A function that several threads share takes the number of a share and how many there are. One level of its loops is
marked as shared: each share runs a part of the iterations there, and the last one does what is left over beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from hybridlint.runtime.compiled.engines.jit.lanes import Lanes, shortest_lanes
from hybridlint.runtime.compiled.engines.jit.llvm import ir
from hybridlint.runtime.compiled.lowering.kernels import Access, Buffer

#: Bytes of a number.
WIDTH = 4
#: An element of a buffer.
Place: TypeAlias = tuple[Buffer, int]


class IRWriter:
    """A function that takes the addresses of places in buffers, and a builder at its end.

    If it is `shared`, the number of a share and the number of shares follow the addresses.
    """

    def __init__(self, module: Any, name: str, lanes: int, places: Sequence[Place], *, shared: bool = False) -> None:
        self.pointer = ir().PointerType()
        self.count = ir().IntType(64)
        taken = [self.pointer] * len(places) + [self.count] * (2 * shared)
        kind = ir().FunctionType(ir().VoidType(), taken)
        self.function = ir().Function(module, kind, name)
        self.function.linkage = "internal"
        self.function.attributes.add("nounwind")
        self.function.attributes.add("noinline")
        self.b = ir().IRBuilder(self.function.append_basic_block("entry"))
        self.lanes = Lanes(self.b, lanes)
        self._bases = dict(zip(places, self.function.args, strict=False))
        self._share = tuple(self.function.args[len(places) :])

    # -- integers and addresses

    def const(self, number: int) -> Any:
        """Return an integer of 64 bits."""
        return ir().Constant(self.count, number)

    def moved(self, address: Any, elements: Any) -> Any:
        """Return the address a given number of elements after another one."""
        step = self.const(elements) if isinstance(elements, int) else elements
        return self.b.gep(address, [step], source_etype=self.lanes.number)

    def address(self, access: Access, indices: Sequence[Any]) -> Any:
        """Return the address of the element with these indices, None for those that are 0."""
        at = self._bases[access.buffer, access.start]
        for step, index in zip(access.steps, indices, strict=True):
            if step and index is not None:
                at = self.moved(at, self.b.mul(index, self.const(step)))
        return at

    def own_part(self, access: Access, size: int) -> Any:
        """Return the address of the share's part of a buffer, which has a given number of elements."""
        at = self._bases[access.buffer, access.start]
        return self.moved(at, self.b.mul(self._share[0], self.const(size))) if self._share else at

    def know(self, access: Access, address: Any) -> None:
        """Take an address for that of a place from here on."""
        self._bases[access.buffer, access.start] = address

    # -- loops

    @contextmanager
    def loop(
        self, end: int, step: int = 1, *, shared: bool = False, within: tuple[Any, Any] | None = None
    ) -> Iterator[Any]:
        """Count from 0 to `end`, which is a multiple of `step`, and yield the counter. A `shared` loop is split.

        A loop `within` bounds counts from the first to before the last of them, if there is anything between.
        """
        split = shared and bool(self._share)
        first, last = within or (self.bounds(end, step) if split else (self.const(0), self.const(end)))
        before = self.b.block
        body, after = self.function.append_basic_block("loop"), self.function.append_basic_block("after")
        if split or within:
            self.b.cbranch(self.b.icmp_unsigned("<", first, last), body, after)
        else:
            self.b.branch(body)
        self.b.position_at_end(body)
        counter = self.b.phi(self.count)
        counter.add_incoming(first, before)
        yield counter
        following = self.b.add(counter, self.const(step))
        counter.add_incoming(following, self.b.block)
        self.b.cbranch(self.b.icmp_unsigned("<", following, last), body, after)
        self.b.position_at_end(after)

    def smaller(self, one: Any, other: Any) -> Any:
        """Return the smaller one of two integers."""
        return self.b.select(self.b.icmp_unsigned("<", one, other), one, other)

    def bounds(self, end: int, step: int) -> tuple[Any, Any]:
        """Return the begin and end of this thread's share of a loop, or of the whole loop without sharing."""
        if not self._share:
            return self.const(0), self.const(end)
        number, count = self._share
        following = self.b.add(number, self.const(1))
        first, last = (self.b.udiv(self.b.mul(k, self.const(end // step)), count) for k in (number, following))
        return self.b.mul(first, self.const(step)), self.b.mul(last, self.const(step))

    @contextmanager
    def once(self, beside: bool = True) -> Iterator[None]:
        """Write code that only one share runs if it is `beside` a shared loop."""
        if not beside or not self._share:
            yield
            return
        number, count = self._share
        own, after = self.function.append_basic_block("once"), self.function.append_basic_block("after")
        self.b.cbranch(self.b.icmp_unsigned("==", self.b.add(number, self.const(1)), count), own, after)
        self.b.position_at_end(own)
        yield
        self.b.branch(after)
        self.b.position_at_end(after)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Write code in which no loop is shared: each share runs all of it."""
        share, self._share = self._share, ()
        yield
        self._share = share

    def nest(self, sizes: Sequence[int], body: Callable[[list[Any]], None], shared: int | None = None) -> None:
        """Run a body for all indices of these sizes, the last one fastest. The loop over one axis may be shared."""
        self._nested(list(sizes), [], body, shared)

    def _nested(
        self, sizes: list[int], indices: list[Any], body: Callable[[list[Any]], None], shared: int | None
    ) -> None:
        axis = len(indices)
        if axis == len(sizes):
            body(indices)
            return
        if sizes[axis] == 1:
            self._nested(sizes, [*indices, None], body, shared)
            return
        with self.loop(sizes[axis], shared=axis == shared) as counter:
            self._nested(sizes, [*indices, counter], body, shared)

    def parts(self, size: int, body: Callable[[Any, int], None], *, shared: bool = False) -> None:
        """Run a body for each vector of a row: ``body(first element, number of elements)``."""
        lanes = self.lanes.count
        whole = size // lanes * lanes
        if whole == lanes:
            with self.once(shared):
                body(self.const(0), lanes)
        elif whole:
            with self.loop(whole, lanes, shared=shared) as at:
                body(at, lanes)
        if size > whole:
            with self.once(shared):
                body(self.const(whole), size - whole)

    # -- vectors

    @contextmanager
    def narrowed(self, count: int) -> Iterator[None]:
        """Write with vectors for a given number of elements, shorter ones if these suffice."""
        lanes, length = self.lanes, shortest_lanes(count, self.lanes.count)
        if length < lanes.count:
            self.lanes = Lanes(self.b, length)
        yield
        self.lanes = lanes

    @contextmanager
    def widened(self, registers: int) -> Iterator[None]:
        """Write with vectors that each stand for several registers of the processor."""
        lanes = self.lanes
        self.lanes = Lanes(self.b, lanes.count * registers, registers)
        yield
        self.lanes = lanes

    def load(self, address: Any, step: int, count: int) -> Any:
        """Return `count` numbers as a vector, read at a fixed distance from each other; the other lanes are 0."""
        m = self.lanes
        if step == 0:
            return self.splat(self.scalar(address))
        if step == 1 and count == m.count:
            return self.b.load(address, typ=m.floats, align=WIDTH)
        if step == 1 and count > 1:
            name = f"llvm.masked.load.v{m.count}f32.p0"
            kind = ir().FunctionType(m.floats, [self.pointer, m.whole, m.truth, m.floats])
            align = ir().Constant(m.whole, WIDTH)
            return self.b.call(m.declared(name, kind), [address, align, self.first(count), m.const(0.0)])
        if step == 2 and count > 1:
            return self._every_second(address, count)
        vector = m.const(0.0)
        for lane in range(count):
            number = self.scalar(self.moved(address, lane * step))
            vector = self.b.insert_element(vector, number, ir().Constant(m.whole, lane))
        return vector

    def _every_second(self, address: Any, count: int) -> Any:
        """Load every second number: two vectors, of which the second begins with the first one's last number."""
        m = self.lanes
        reach = 2 * count - 1
        first = self.load(address, 1, min(reach, m.count))
        beyond = reach - (m.count - 1)
        second = self.load(self.moved(address, m.count - 1), 1, beyond) if beyond > 1 else m.const(0.0)
        # A lane of the second vector has its place behind all of the first one's.
        order = [2 * lane if 2 * lane < m.count else 2 * lane + 1 for lane in range(m.count)]
        return self.b.shuffle_vector(first, second, ir().Constant(ir().VectorType(m.whole, m.count), order))

    def store(self, vector: Any, address: Any, step: int, count: int) -> None:
        """Write the first `count` numbers of a vector."""
        m = self.lanes
        if step == 1 and count == m.count:
            self.b.store(vector, address, align=WIDTH)
        elif step == 1 and count > 1:
            name = f"llvm.masked.store.v{m.count}f32.p0"
            kind = ir().FunctionType(ir().VoidType(), [m.floats, self.pointer, m.whole, m.truth])
            align = ir().Constant(m.whole, WIDTH)
            self.b.call(m.declared(name, kind), [vector, address, align, self.first(count)])
        else:
            for lane in range(count):
                number = self.b.extract_element(vector, ir().Constant(m.whole, lane))
                self.b.store(number, self.moved(address, lane * step), align=WIDTH)

    def announce(self, address: Any, *, writes: bool = False, soon: bool = False) -> None:
        """Tell the processor that a vector at an address is read, or written, later on, or very soon."""
        m = self.lanes
        kind = ir().FunctionType(ir().VoidType(), [self.pointer, m.whole, m.whole, m.whole])
        # In the first cache rows of some lengths would push each other out: it has what is read soon alone.
        how = [ir().Constant(m.whole, number) for number in (int(writes), 3 if soon else 2, 1)]
        self.b.call(m.declared("llvm.prefetch.p0", kind), [address, *how])

    def scalar(self, address: Any) -> Any:
        """Return the number at an address."""
        return self.b.load(address, typ=self.lanes.number, align=WIDTH)

    def splat(self, number: Any) -> Any:
        """Return a vector of one number."""
        m = self.lanes
        nothing = ir().Constant(m.floats, ir().Undefined)
        one = self.b.insert_element(nothing, number, ir().Constant(m.whole, 0))
        return self.b.shuffle_vector(one, nothing, ir().Constant(ir().VectorType(m.whole, m.count), [0] * m.count))

    def first(self, count: int) -> Any:
        """Return the truth of the first `count` lanes."""
        m = self.lanes
        return ir().Constant(m.truth, [int(lane < count) for lane in range(m.count)])

    def end(self) -> None:
        """Finish the function."""
        self.b.ret_void()
