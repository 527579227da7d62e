"""The native module of a schedule: one function for each kind of kernel, and one that calls them in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridlint.runtime.compiled.engines.jit.elementwise import write_fold, write_loop
from hybridlint.runtime.compiled.engines.jit.kernels import Multiply, Pack
from hybridlint.runtime.compiled.engines.jit.llvm import ir
from hybridlint.runtime.compiled.engines.jit.packing import write_pack
from hybridlint.runtime.compiled.engines.jit.products import write_multiply
from hybridlint.runtime.compiled.engines.jit.target import Target
from hybridlint.runtime.compiled.engines.jit.turning import turn_of, write_turned
from hybridlint.runtime.compiled.engines.jit.writer import Place, Writer
from hybridlint.runtime.compiled.groups.kernels import Fold, Kernel, Loop, Tree
from hybridlint.runtime.compiled.groups.values import Map, Number, Value


def _write_loop(writer: Writer, kernel: Loop) -> None:
    turn = turn_of(kernel, writer.lanes.count)
    if turn is None:
        write_loop(writer, kernel)
    else:
        write_turned(writer, kernel, turn)


_WRITERS: dict[type, Callable[[Writer, Any], None]] = {
    Loop: _write_loop,
    Fold: write_fold,
    Pack: write_pack,
    Multiply: write_multiply,
}


def assembled(groups: Sequence[Sequence[Kernel]], target: Target) -> str:
    """Return the IR of functions ``run0``, ``run1`` ..., one for each group of kernels.

    A function takes a table with the addresses of all buffers. Kernels that differ only in their buffers share code.
    """
    module = ir().Module()
    functions: dict[Any, Any] = {}
    for number, kernels in enumerate(groups):
        pointer = ir().PointerType()
        run = ir().Function(module, ir().FunctionType(ir().VoidType(), [pointer]), f"run{number}")
        builder = ir().IRBuilder(run.append_basic_block("entry"))
        for kernel in kernels:
            places = _places(kernel)
            key = signature(kernel, places)
            if key not in functions:
                functions[key] = _written(module, f"kernel{len(functions)}", kernel, places, target)
            builder.call(functions[key], [_address(builder, run.args[0], place) for place in places])
        builder.ret_void()
    return str(module)


def _written(module: Any, name: str, kernel: Kernel, places: Sequence[Place], target: Target) -> Any:
    writer = Writer(module, name, target.lanes, places)
    _WRITERS[type(kernel)](writer, kernel)
    writer.end()
    return writer.function


def _address(builder: Any, table: Any, place: Place) -> Any:
    """Return the address of a place, given the table with those of the buffers."""
    pointer, count = ir().PointerType(), ir().IntType(64)
    buffer, start = place
    slot = builder.gep(table, [ir().Constant(count, buffer.number)], source_etype=pointer)
    return builder.gep(builder.load(slot, typ=pointer), [ir().Constant(count, start)], source_etype=ir().FloatType())


def _places(kernel: Kernel) -> list[Place]:
    """Return the places where a kernel begins to read and write, each once, in the order in which it names them."""
    return list(dict.fromkeys((access.buffer, access.start) for access in kernel.accesses()))


def signature(kernel: Kernel, places: Sequence[Place]) -> tuple[Any, ...]:
    """Return what the code of a kernel depends on: everything but the places that it works on."""
    numbers = {place: k for k, place in enumerate(places)}
    told: list[Any] = [type(kernel), kernel.sizes]
    told += [(numbers[access.buffer, access.start], access.steps) for access in kernel.accesses()]
    if isinstance(kernel, Pack):
        return (*told, kernel.batches, kernel.width)
    assert isinstance(kernel, (Loop, Fold, Multiply))
    told.append(_shape_of(kernel.tree, kernel.product if isinstance(kernel, Multiply) else None))
    if isinstance(kernel, Fold):
        told += [kernel.axes, kernel.function]
    if isinstance(kernel, Multiply):
        told += [kernel.inner, kernel.tile]
    return tuple(told)


def _shape_of(tree: Tree, product: Value | None) -> tuple[Any, ...]:
    """Return the functions of a tree in a form that can be compared; leaves by their place in it."""
    known: dict[Value, Any] = {leaf: ("leaf", k) for k, leaf in enumerate(tree.leaves)}
    if product is not None:
        known[product] = ("product",)
    rows: list[Any] = []

    def number(value: Value) -> Any:
        if value not in known:
            known[value] = _row(value, number)
            if isinstance(value, Map):
                rows.append(known[value])
                known[value] = ("row", len(rows) - 1)
        return known[value]

    return (number(tree.root), *rows)


def _row(value: Value, number: Callable[[Value], Any]) -> tuple[Any, ...]:
    if isinstance(value, Number):
        return ("number", value.number.hex())
    assert isinstance(value, Map)
    return (value.function, *(number(a) for a in value.arguments))
