"""Uses of a function's arguments in its code: indices, logarithms, lists, items of ``*inputs``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from typing import Any

from hybridlint.proving.brief.input_ranks import ranks, squeezed
from hybridlint.proving.brief.item_counts import item_counts, least_items, paired_counts, possible_counts
from hybridlint.proving.brief.passed_inputs import Code, callee_of, loops, passed_inputs, with_later_names
from hybridlint.proving.child.brief.inputs import Assignment, InputFacts, StarCall
from hybridlint.proving.child.inputs.initial_states import is_state
from hybridlint.proving.operator_facts import describe_operators

#: Arguments of operators and recurrent cells that hold sequence lengths.
_LENGTHS = {"valid_length", "sequence_length"}
_MODULES = {"F", "nd", "mx", "npx", "np"}
#: Functions that iterate over their arguments; calls of them may be nested.
_ITERATORS = {"zip", "enumerate", "reversed"}


def input_facts(function: Code) -> InputFacts:
    """Return the facts of the arguments of a function, as inputs."""
    tree = with_later_names(function)
    nodes = list(ast.walk(tree))
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg)}
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    counts = {name: tuple(possible_counts(nodes, name)) for name in sorted(arguments)}
    star = function.args.vararg.arg if function.args.vararg is not None else ""
    whole = list(ast.walk(function)) if star else []
    if star:
        counts[star] = tuple(possible_counts(whole, star))
    return InputFacts(
        lists=_distinct(name for node in nodes for name in _lists(node)),
        parts=_parts(tree, nodes),
        absent=_distinct(
            node.left.id
            for node in nodes
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and isinstance(node.ops[0], ast.IsNot)
        ),
        chosen=_distinct(
            node.value.id
            for node in nodes
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
            if not isinstance(node.slice, ast.Tuple | ast.Slice)
        ),
        lengths=_distinct(
            keyword.value.id
            for call in calls
            for keyword in call.keywords
            if keyword.arg in _LENGTHS and isinstance(keyword.value, ast.Name)
        ),
        indices=_distinct(name for call in calls for name in _indices(call)),
        positive=_distinct(name for call in calls for name in _positive(call)),
        looked_up=tuple(
            (call.func.attr, call.args[0].id)
            for call in calls
            if isinstance(call.func, ast.Attribute) and _is_own(call) and call.args
            if isinstance(call.args[0], ast.Name)
        ),
        items=item_counts(nodes, arguments),
        paired=paired_counts(nodes, arguments),
        counts={name: found for name, found in counts.items() if found},
        ranks=ranks(nodes),
        squeezed=squeezed(nodes),
        passed=tuple(passed_inputs(nodes)),
        loops=tuple(loops(nodes)),
        starred=tuple(_starred(whole, star)),
        taken=tuple(tuple(names) for names in _taken(whole, star)) if star else (),
        through=any(
            getattr(part.iter, "id", "") == star for part in whole if isinstance(part, ast.For | ast.comprehension)
        ),
        assignments=tuple(_assignments(function)),
    )


def _distinct(names: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _parts(tree: ast.AST, nodes: list[ast.AST]) -> dict[str, tuple[str, ...]]:
    """Return the names of the items of each list that is unpacked, and of states that are taken apart by number."""
    found: dict[str, tuple[str, ...]] = {}
    for node in nodes:
        target = node.targets[0] if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) else None
        if isinstance(target, ast.Tuple | ast.List) and all(isinstance(part, ast.Name) for part in target.elts):
            found[node.value.id] = tuple(getattr(part, "id", "") for part in target.elts)  # type: ignore[attr-defined]
    states = [node.arg for node in nodes if isinstance(node, ast.arg) and is_state(node.arg)]
    for name, count in least_items(tree, states).items():
        # States are lists in every recurrent cell of MXNet; any other name may hold an array of which items are taken.
        found.setdefault(name, tuple(f"{name}{place}" for place in range(count)))
    return found


def _lists(node: ast.AST) -> Iterator[str]:
    """Yield names that are unpacked or iterated over: these are lists, as code seldom iterates over a batch."""
    if isinstance(node, ast.Starred) and isinstance(node.value, ast.Name):
        yield node.value.id
    elif isinstance(node, ast.For | ast.comprehension):
        yield from _iterated(node.iter)


def _iterated(source: ast.expr) -> Iterator[str]:
    if isinstance(source, ast.Name):
        yield source.id
    elif isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id in _ITERATORS:
        for argument in source.args:
            yield from _iterated(argument)


def _is_own(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") == "self"


def _indices(call: ast.Call) -> Iterator[str]:
    known = describe_operators()["indexed"].get(getattr(call.func, "attr", ""))
    if known is not None and not _is_own(call):
        yield from filter(None, [_argument(call, *known)])


def _positive(call: ast.Call) -> Iterator[str]:
    if isinstance(call.func, ast.Attribute) and call.func.attr in _positive_operators() and not _is_own(call):
        target = call.args[0] if call.args else call.func.value
        if isinstance(target, ast.Name) and target.id not in _MODULES:
            yield target.id


@cache
def _positive_operators() -> frozenset[str]:
    return frozenset(describe_operators()["positive"])


def _argument(node: ast.Call, place: int, keyword: str) -> str:
    named = next((k.value for k in node.keywords if k.arg == keyword), None)
    value = named if named is not None else node.args[place] if len(node.args) > place else None
    return value.id if isinstance(value, ast.Name) else ""


def _starred(nodes: list[ast.AST], name: str) -> Iterator[StarCall]:
    """Yield the calls that get ``*inputs``."""
    for call in (part for part in nodes if isinstance(part, ast.Call)):
        if any(isinstance(a, ast.Starred) and getattr(a.value, "id", "") == name for a in call.args):
            callee = callee_of(call.func)
            first = next(k for k, argument in enumerate(call.args) if isinstance(argument, ast.Starred))
            before = [argument for argument in call.args[:first] if getattr(argument, "id", "") != "F"]
            if callee is not None:
                yield StarCall(callee, len(before))


def _taken(nodes: list[ast.AST], name: str) -> Iterator[list[str]]:
    """Yield the names that a function unpacks or assigns its variadic argument `name` to."""
    last = -1
    for part in nodes:
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Tuple | ast.List):
            if name in _whole(part.value):
                yield [_shown(element, k) for k, element in enumerate(part.targets[0].elts)]
        elif isinstance(part, ast.Subscript) and getattr(part.value, "id", "") == name:
            last = max(last, _place(part.slice))
    if last >= 0:
        given = {_assigned(part, name): part.targets[0] for part in nodes if isinstance(part, ast.Assign)}
        yield [_shown(given.get(k), k) for k in range(last + 1)]


def _whole(value: ast.expr) -> set[str]:
    """Return the names in an expression, except those that are subscripted, starred or arguments of a method."""
    parts = [node.value for node in ast.walk(value) if isinstance(node, ast.Subscript | ast.Starred)]
    calls = (node for node in ast.walk(value) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute))
    parts += [argument for call in calls for argument in call.args]
    within = {id(inner) for part in parts for inner in ast.walk(part)}
    return {node.id for node in ast.walk(value) if isinstance(node, ast.Name) and id(node) not in within}


def _assigned(node: ast.Assign, name: str) -> int:
    """Return k for an assignment ``x = inputs[k]``, -1 for any other; `name` is the name of ``*inputs``."""
    value = node.value
    return _place(value.slice) if isinstance(value, ast.Subscript) and getattr(value.value, "id", "") == name else -1


def _place(key: ast.expr) -> int:
    """Return the index in a subscript of ``*inputs``; 1 for an index from the end, -1 if not a literal."""
    if isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.USub):
        # An index from the end means that there are at least two.
        return 1
    return key.value if isinstance(key, ast.Constant) and type(key.value) is int else -1


def _shown(target: Any, place: int) -> str:
    inner = target.value if isinstance(target, ast.Starred) else target
    return inner.id if isinstance(inner, ast.Name) else f"input {place}"


def _assignments(function: Code) -> Iterator[Assignment]:
    """Yield the assignments and loops of a function by row."""
    stores = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For)
    nodes = [node for node in ast.walk(function) if isinstance(node, stores)]
    for node in sorted(nodes, key=lambda node: node.lineno):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        source = node.iter if isinstance(node, ast.For) else node.value
        yield Assignment(node.lineno, tuple(name for part in targets for name in _names(part)), tuple(_names(source)))


def _names(node: ast.AST | None) -> Iterator[str]:
    if node is not None:
        yield from (part.id for part in ast.walk(node) if isinstance(part, ast.Name))
