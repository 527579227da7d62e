"""Builtins that return iterables: ``range``, ``zip``, ``enumerate``, ``map``, ``filter``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hybridlint.analysis.flow.iterators import advances
from hybridlint.analysis.model.events import ArgumentsEvent, Branch, Concretize, TraceConstant
from hybridlint.analysis.model.lattice import element
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    ContainerValue,
    DataDependentValue,
    StaticValue,
    Unknown,
    Value,
)
from hybridlint.analysis.python.closures import apply
from hybridlint.analysis.python.reductions import is_tensor
from hybridlint.analysis.syntax.iteration import iterate, steps

#: Ranges of more numbers than this are only known to hold numbers.
_MOST_NUMBERS = 64

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


def _zip(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    parts: list[Value] = []
    for part_node, value in zip(args.nodes, args.values, strict=True):
        if isinstance(part_node, ast.Starred):
            each = element(value) if isinstance(value, ContainerValue) else Unknown()
            inner = iterate(act, each, node, "zip")
            return ContainerValue("generator", None, ContainerValue("tuple", None, inner))
        parts.append(iterate(act, value, node, "zip"))
    sizes = {len(v.items) for v in args.values if isinstance(v, ContainerValue) and v.items is not None}
    if len(sizes) == 1 and all(isinstance(v, ContainerValue) and v.items is not None for v in args.values):
        rows = zip(
            *(v.items for v in args.values if isinstance(v, ContainerValue) and v.items is not None), strict=True
        )
        return ContainerValue("generator", tuple(ContainerValue("tuple", tuple(row)) for row in rows))
    return ContainerValue("generator", None, ContainerValue("tuple", tuple(parts)))


def _enumerate(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    each = iterate(act, args.values[0], node, "enumerate")
    known = steps(args.values[0])
    if known is not None and len(args.values) == 1 and not args.keywords:
        return ContainerValue(
            "generator", tuple(ContainerValue("tuple", (StaticValue(i), step)) for i, step in enumerate(known))
        )
    return ContainerValue("generator", None, ContainerValue("tuple", (StaticValue(STATIC_UNKNOWN), each)))


def _map(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    function, *sources = args.values
    values = tuple(iterate(act, value, node, "map") for value in sources)
    known = [steps(value) for value in sources]
    if all(parts is not None for parts in known) and not act.run.budget.busy:
        with act.run.reporting.unrolling():
            rows = zip(*(parts for parts in known if parts is not None), strict=False)
            return ContainerValue("generator", tuple(apply(act, node, function, row) for row in rows))
    return ContainerValue("generator", None, apply(act, node, function, values))


def _filter(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    each = iterate(act, args.values[-1], node, "filter")
    if args.values[0] == StaticValue(None):
        for value in steps(args.values[-1]) or (each,):
            _ask_truth(act, node, value)
    else:
        _ask_truth(act, node, apply(act, node, args.values[0], (each,)))
    return ContainerValue("generator", None, each)


def _ask_truth(act: Activation, node: ast.Call, value: Value) -> None:
    if is_tensor(value):
        act.emit(Branch, node, kind="not", condition=node, value=value)


def _range(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    tensor = next((v for v in args.values if isinstance(v, DataDependentValue) or is_tensor(v)), None)
    if tensor is not None:
        act.emit(Concretize, node, how="range", value=tensor)
    limits = [v.value for v in args.values if isinstance(v, StaticValue) and type(v.value) is int]
    if len(limits) == len(args.values) and 0 < len(limits) <= 3 and (len(limits) < 3 or limits[2]):
        steps = range(*limits)
        # `len` cannot tell more than a machine's word.
        return ContainerValue("list", None, StaticValue(STATIC_UNKNOWN)) if steps[_MOST_NUMBERS:] else _numbers(steps)
    return ContainerValue("list", None, StaticValue(STATIC_UNKNOWN))


def _numbers(steps: range) -> ContainerValue:
    return ContainerValue("list", tuple(StaticValue(i) for i in steps))


def _next(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    value = args.values[0]
    if advances(act, args.nodes[0], value):
        act.emit(TraceConstant, node, source_of_value="next", used=True)
        return StaticValue(STATIC_UNKNOWN)
    return element(value) if isinstance(value, ContainerValue) else Unknown()


SEQUENCES: dict[str, Callable[[Any, ast.Call, ArgumentsEvent], Value]] = {
    "zip": _zip,
    "enumerate": _enumerate,
    "map": _map,
    "filter": _filter,
    "range": _range,
    "next": _next,
}
