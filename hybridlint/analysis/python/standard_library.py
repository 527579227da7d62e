"""Standard library functions that iterate over, compare or hash their arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hybridlint.analysis.flow.iterators import emit_iteration
from hybridlint.analysis.model.events import ArgumentsEvent, Branch
from hybridlint.analysis.model.lattice import element, join_all
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    CachedFunction,
    ContainerValue,
    External,
    Function,
    LibraryInstance,
    Partial,
    StaticValue,
    Unknown,
    Value,
)
from hybridlint.analysis.python.closures import apply
from hybridlint.analysis.python.reductions import emit_order, emit_order_in, is_tensor
from hybridlint.analysis.syntax.arithmetic import binary
from hybridlint.analysis.syntax.hashing import each_hashed
from hybridlint.analysis.syntax.iteration import iterate, steps
from hybridlint.analysis.syntax.subscripts import rebind

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

_REMEMBERING = frozenset({"functools.lru_cache", "functools.cache"})
_MOST_REPEATED = 64


def library_call(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value | None:
    """Evaluate a call of a function by its full dotted name; None for functions that are not modelled here."""
    if name in _REMEMBERING:
        return _remember(name, args)
    handler = _FUNCTIONS.get(name)
    if handler is not None and args.values:
        return handler(act, node, args)
    if name.startswith("bisect."):
        return _bisect(act, node, args)
    return _passed_on(act, node, name.removeprefix("itertools."), args) if name.startswith("itertools.") else None


def _passed_on(act: Activation, node: ast.Call, function: str, args: ArgumentsEvent) -> Value:
    """Evaluate functions that iterate over all arguments: ``itertools.chain``, ``islice``, ``product`` and others."""
    for place, value in zip(args.nodes, args.values, strict=True):
        emit_iteration(act, node, place, value)
    each = [iterate(act, value, node, "iteration") for value in args.values if not isinstance(value, StaticValue)]
    if function in {"chain", "islice", "cycle"}:
        return ContainerValue("generator", None, join_all(each))
    return ContainerValue(
        "generator", None, ContainerValue("tuple", tuple(each)) if function.startswith("zip") else Unknown()
    )


def _chain_all(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    inner = steps(args.values[0]) or (iterate(act, args.values[0], node, "iteration"),)
    return ContainerValue("generator", None, join_all([iterate(act, value, node, "iteration") for value in inner]))


def _repeat(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    value, *times = args.values
    known = times[0].value if times and isinstance(times[0], StaticValue) else None
    small = type(known) is int and 0 <= known <= _MOST_REPEATED
    return ContainerValue("generator", (value,) * known) if small else ContainerValue("generator", None, value)  # type: ignore[operator]


def _accumulated(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    """Evaluate ``itertools.accumulate``: the running totals, of which the first is the first element itself."""
    data, *functions = args.values
    function = functions[0] if functions else args.keywords.get("func", External("operator.add"))
    each = iterate(act, data, node, "iteration")
    totals: list[Value] = []
    for item in steps(data) or (each, each):
        totals.append(apply(act, node, function, (totals[-1], item)) if totals else item)
    return ContainerValue("generator", tuple(totals) if steps(data) else None, totals[-1])


def _filtered(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    """Evaluate ``takewhile(test, values)`` and similar functions, which test the truth of the predicate's results."""
    if len(args.values) < 2:
        return Unknown()
    each = iterate(act, args.values[1], node, "iteration")
    _ask(act, node, apply(act, node, args.values[0], (each,)))
    return ContainerValue("generator", None, each)


def _compress(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    each, *chosen = [iterate(act, value, node, "iteration") for value in args.values]
    for answer in chosen:
        _ask(act, node, answer)
    return ContainerValue("generator", None, each)


def _star_map(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    if len(args.values) < 2:
        return Unknown()
    each = iterate(act, args.values[1], node, "iteration")
    known = each.items if isinstance(each, ContainerValue) else None
    return ContainerValue("generator", None, Unknown() if known is None else apply(act, node, args.values[0], known))


def _reduce(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    if len(args.values) < 2:
        return Unknown()
    function, data, *start = args.values
    each = iterate(act, data, node, "reduce")
    known = steps(data) or (each, each)
    total, *rest = (*start, *known)
    for item in rest:
        total = apply(act, node, function, (total, item))
    return total


def _product(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value | None:
    """Evaluate ``math.prod`` of a container; None for a tensor, whose data it would need."""
    known = steps(args.values[0])
    if not known or not any(map(is_tensor, known)):
        return None
    total, *rest = known
    with act.run.reporting.rewriting():
        for item in rest:
            total = binary(act, node, ast.Mult(), (node, total), (node, item))
    return total


def _largest(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    """Evaluate ``heapq.nlargest(count, values)``."""
    data = args.values[-1]
    each = iterate(act, data, node, "iteration")
    if "key" not in args.keywords:
        emit_order_in(act, node, data, each)
    return ContainerValue("list", None, each)


def _heap(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    """Evaluate ``heapify(heap)``, ``heappush(heap, item)`` and similar functions."""
    heap, *added = args.values
    items = heap.items if isinstance(heap, ContainerValue) else None
    if items is not None:
        emit_order(act, node, (*items, *added))
        rebind(act, args.nodes[0], ContainerValue("list", (*items, *added)))
    elif isinstance(heap, ContainerValue):
        emit_order_in(act, node, heap, element(heap))
    return added[0] if added else element(heap) if isinstance(heap, ContainerValue) else Unknown()


def _bisect(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    data, *searched = args.values
    each = iterate(act, data, node, "iteration")
    tensor = next(filter(is_tensor, (*searched[:1], each)), None)
    if tensor is not None and not (isinstance(data, ContainerValue) and data.items == ()):
        act.emit(Branch, node, kind="or", condition=node, value=tensor)
    return StaticValue(STATIC_UNKNOWN)


def _counter(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    if not isinstance(args.values[0], ContainerValue) or args.values[0].kind != "dict":
        each_hashed(act, node, args.values[0])
    return ContainerValue("dict", None, StaticValue(STATIC_UNKNOWN))


def _from_keys(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    each_hashed(act, node, args.values[0])
    return ContainerValue("dict", None, args.values[1] if len(args.values) > 1 else StaticValue(None))


def _default_dict(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    return ContainerValue("dict", None, Unknown())


def _remember(name: str, args: ArgumentsEvent) -> CachedFunction | External:
    """Evaluate ``lru_cache(function)``, or ``lru_cache(size)``, which returns a decorator."""
    given = args.values[0] if args.values else None
    return CachedFunction(given) if isinstance(given, Function | Partial) else External(name)


def _comparison(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    return Partial(LibraryInstance("functools.cmp_to_key()", "functools.cmp_to_key"), args.values[:1])


def _compare(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    """Evaluate ``cmp_to_key(function)(value)``, a key whose comparisons call the function."""
    function, *values = args.values
    _ask(act, node, apply(act, node, function, (*values[:1], *values[:1])))
    return Unknown()


def _ask(act: Activation, node: ast.Call, answer: Value) -> None:
    if is_tensor(answer):
        act.emit(Branch, node, kind="or", condition=node, value=answer)


_FUNCTIONS: dict[str, Callable[[Any, ast.Call, ArgumentsEvent], Value | None]] = {
    "itertools.chain.from_iterable": _chain_all,
    "itertools.repeat": _repeat,
    "itertools.accumulate": _accumulated,
    "itertools.takewhile": _filtered,
    "itertools.dropwhile": _filtered,
    "itertools.filterfalse": _filtered,
    "itertools.compress": _compress,
    "itertools.starmap": _star_map,
    "functools.reduce": _reduce,
    "functools.cmp_to_key": _comparison,
    "functools.cmp_to_key()": _compare,
    "math.prod": _product,
    "heapq.nlargest": _largest,
    "heapq.nsmallest": _largest,
    **dict.fromkeys(("heapq.heapify", "heapq.heappush", "heapq.heappushpop", "heapq.heapreplace"), _heap),
    "collections.Counter": _counter,
    "collections.defaultdict": _default_dict,
    "builtins.dict.fromkeys": _from_keys,
    "collections.OrderedDict.fromkeys": _from_keys,
}
