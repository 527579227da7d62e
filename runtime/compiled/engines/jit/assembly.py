"""The native module of a schedule: one function for each kind of kernel, and those that call them in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from hybridlint.runtime.compiled.engines.jit.chains import Chain
from hybridlint.runtime.compiled.engines.jit.convolving import write_convolve, write_pack_filters
from hybridlint.runtime.compiled.engines.jit.elementwise import write_fold, write_loop
from hybridlint.runtime.compiled.engines.jit.kernels import (
    Convolve,
    KeptArray,
    NativeProduct,
    Pack,
    PackFilters,
    Together,
)
from hybridlint.runtime.compiled.engines.jit.llvm import ir
from hybridlint.runtime.compiled.engines.jit.loop_fusion import write_together
from hybridlint.runtime.compiled.engines.jit.narrow_products import write_narrow
from hybridlint.runtime.compiled.engines.jit.packing import write_pack
from hybridlint.runtime.compiled.engines.jit.products import write_multiply
from hybridlint.runtime.compiled.engines.jit.sharing import shares_of
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from hybridlint.runtime.compiled.engines.jit.thread_team import Task, write_team
from hybridlint.runtime.compiled.engines.jit.transposition import turn_of, write_turned
from hybridlint.runtime.compiled.engines.jit.writer import IRWriter, Place
from hybridlint.runtime.compiled.lowering.kernels import Access, Fold, Kernel, Loop, Tree
from hybridlint.runtime.compiled.lowering.values import ArrayValue, Map, Number


def _write_loop(writer: IRWriter, kernel: Loop) -> None:
    turn = turn_of(kernel, writer.lanes.count)
    if turn is None:
        write_loop(writer, kernel)
    else:
        write_turned(writer, kernel, turn)


def _write_product(writer: IRWriter, kernel: NativeProduct) -> None:
    if kernel.beside:
        write_narrow(writer, kernel)
    else:
        write_multiply(writer, kernel)


def _write_kept(writer: IRWriter, kernel: KeptArray) -> None:
    _write_loop(writer, kernel.loop)


_WRITERS: dict[type, Callable[[IRWriter, Any], None]] = {
    Loop: _write_loop,
    KeptArray: _write_kept,
    Together: write_together,
    Fold: write_fold,
    Pack: write_pack,
    PackFilters: write_pack_filters,
    Convolve: write_convolve,
    NativeProduct: _write_product,
}


def assemble_functions(
    groups: Sequence[Sequence[Kernel]],
    target: TargetProcessor,
    teams: Mapping[int, Sequence[Chain]] = MappingProxyType({}),
) -> str:
    """Return the IR of functions ``run0``, ``run1`` ..., one for each group of kernels.

    A function takes a table with the addresses of all buffers. Kernels that differ only in their buffers share code.
    The groups in `teams` have the functions of a team, too, for the chains of their kernels.
    """
    assembly = _Assembly(target)
    for number, kernels in enumerate(groups):
        assembly.run(number, kernels)
        if number in teams:
            write_team(assembly.module, number, list(assembly.tasks(kernels, teams[number])))
    return str(assembly.module)


def told_of(groups: Sequence[Sequence[Kernel]], teams: Mapping[int, Sequence[Chain]] = MappingProxyType({})) -> str:
    """Return all that the IR of groups of kernels depends on, beside the processor and the sources of this program."""
    return repr(
        (
            [[_told(kernel) for kernel in kernels] for kernels in groups],
            {number: [_chain_told(chain) for chain in team] for number, team in teams.items()},
        )
    )


def _chain_told(chain: Chain) -> tuple[Any, ...]:
    return (chain.first, chain.shares, chain.axes, [_told(part) for part in chain.parts])


def _told(kernel: Kernel) -> tuple[Any, ...]:
    places = _places(kernel)
    return (signature(kernel, places), [(buffer.number, start) for buffer, start in places])


class _Assembly:
    def __init__(self, target: TargetProcessor) -> None:
        self.module = ir().Module()
        self._target = target
        self._functions: dict[Any, Any] = {}

    def run(self, number: int, kernels: Sequence[Kernel]) -> None:
        """Write the function by which one thread runs kernels."""
        kind = ir().FunctionType(ir().VoidType(), [ir().PointerType()])
        run = ir().Function(self.module, kind, f"run{number}")
        builder = ir().IRBuilder(run.append_basic_block("entry"))
        alone = [ir().Constant(ir().IntType(64), k) for k in (0, 1)]
        for kernel in kernels:
            task = self.task(kernel)
            task.call(builder, run.args[0], alone)
        builder.ret_void()

    def tasks(self, kernels: Sequence[Kernel], chains: Sequence[Chain]) -> Iterator[Task]:
        """Yield the tasks of a team: chains, and the kernels between them."""
        begins, at = {chain.first: chain for chain in chains}, 0
        while at < len(kernels):
            chain = begins.get(at)
            yield self.task(kernels[at]) if chain is None else self._chain(chain)
            at = at + 1 if chain is None else chain.end

    def _chain(self, chain: Chain) -> Task:
        """Return a chain as calls of its parts, each moved to the rows of a share."""
        parts = []
        for number, part in enumerate(chain.parts):
            moves = {(access.buffer, access.start): distance for access, distance in chain.moves(number)}
            parts.append((self._function(part, shared=False), moves))

        def call(builder: Any, table: Any, share: Sequence[Any]) -> None:
            count = ir().IntType(64)
            for function, moves in parts:
                taken = []
                for place, distance in moves.items():
                    by = builder.mul(share[0], ir().Constant(count, distance))
                    taken.append(builder.gep(_address(builder, table, place), [by], source_etype=ir().FloatType()))
                builder.call(function, taken)

        return Task(call, chain.shares)

    def _function(self, kernel: Kernel, *, shared: bool) -> Any:
        """Return the function of a kernel, which those that differ only in their buffers have in common."""
        places = _places(kernel)
        key = (shared, *signature(kernel, places))
        if key not in self._functions:
            writer = IRWriter(
                self.module,
                f"{type(kernel).__name__.lower()}{len(self._functions)}",
                self._target.lanes,
                places,
                shared=shared,
            )
            _WRITERS[type(kernel)](writer, kernel)
            writer.end()
            self._functions[key] = writer.function
        return self._functions[key]

    def task(self, kernel: Kernel) -> Task:
        """Return a kernel as a call of its function."""
        places = _places(kernel)
        shares = shares_of(kernel, self._target.lanes)
        function = self._function(kernel, shared=shares > 1)

        def call(builder: Any, table: Any, share: Sequence[Any]) -> None:
            taken = [_address(builder, table, place) for place in places]
            builder.call(function, [*taken, *(share if shares > 1 else ())])

        return Task(call, shares)


def _address(builder: Any, table: Any, place: Place) -> Any:
    """Return the address of a place, given the table with those of the buffers."""
    pointer, count = ir().PointerType(), ir().IntType(64)
    buffer, start = place
    slot = builder.gep(table, [ir().Constant(count, buffer.number)], source_etype=pointer)
    return builder.gep(builder.load(slot, typ=pointer), [ir().Constant(count, start)], source_etype=ir().FloatType())


def _places(kernel: Kernel) -> list[Place]:
    """Return the places where a kernel begins to read and write, without repeats and in its order."""
    return list(dict.fromkeys((access.buffer, access.start) for access in kernel.accesses()))


def signature(kernel: Kernel, places: Sequence[Place]) -> tuple[Any, ...]:
    """Return everything that the code of a kernel depends on, except its places in memory."""
    numbers = {place: k for k, place in enumerate(places)}
    told: list[Any] = [type(kernel).__name__, kernel.sizes]
    told += [(numbers[access.buffer, access.start], access.steps) for access in kernel.accesses()]
    if isinstance(kernel, Pack):
        form = (kernel.form.size, kernel.form.filter) if isinstance(kernel, PackFilters) else ()
        return (*told, kernel.batches, kernel.width, form)
    if isinstance(kernel, Together):
        return (*told, kernel.stored, *_parts_told(kernel))
    if isinstance(kernel, KeptArray):
        return (*told, _shape_of(kernel.loop.tree, None))
    assert isinstance(kernel, (Loop, Fold, NativeProduct, Convolve))
    told.append(_shape_of(kernel.tree, kernel.product if isinstance(kernel, (NativeProduct, Convolve)) else None))
    if isinstance(kernel, Fold):
        told += [kernel.axes, kernel.function]
    if isinstance(kernel, Convolve):
        told += [
            kernel.channels,
            kernel.form.size,
            kernel.form.filter,
            kernel.rows,
            kernel.part,
            kernel.shares,
            kernel.tile,
        ]
    if isinstance(kernel, NativeProduct):
        told += [kernel.inner, kernel.tile, kernel.beside]
    if isinstance(kernel, (NativeProduct, Convolve)) and kernel.pooled is not None:
        parts = dict.fromkeys(kernel.pooled.parts, kernel.target)
        told += [kernel.pooled.strides, tuple(kernel.pooled.parts.values())]
        told.append(_shape_of(Tree(kernel.pooled.root, parts), None))
    return tuple(told)


def _parts_told(kernel: Together) -> Iterator[tuple[Any, ...]]:
    """Yield the functions of each part, and which earlier part has computed a leaf."""
    makers: dict[Access, int] = {}
    for number, part in enumerate(kernel.parts):
        yield (_shape_of(part.tree, None), tuple(makers.get(leaf) for leaf in part.tree.leaves.values()))
        makers[part.target] = number


def _shape_of(tree: Tree, product: ArrayValue | None) -> tuple[Any, ...]:
    """Return the functions of a tree in a form that can be compared; leaves by their place in it."""
    known: dict[ArrayValue, Any] = {leaf: ("leaf", k) for k, leaf in enumerate(tree.leaves)}
    if product is not None:
        known[product] = ("product",)
    rows: list[Any] = []

    def number(value: ArrayValue) -> Any:
        if value not in known:
            known[value] = _row(value, number)
            if isinstance(value, Map):
                rows.append(known[value])
                known[value] = ("row", len(rows) - 1)
        return known[value]

    return (number(tree.root), *rows)


def _row(value: ArrayValue, number: Callable[[ArrayValue], Any]) -> tuple[Any, ...]:
    if isinstance(value, Number):
        return ("number", value.number.hex())
    assert isinstance(value, Map)
    return (value.function, *(number(a) for a in value.arguments))
