"""The structures of what compiled blocks are given: which inputs are arrays, lists of how many, or None.

A compiled block keeps the structure of its first call. A call of another one raises, except that None may be left out
at the end.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TypeAlias

from hybridlint.analysis.model.events import CompiledCall
from hybridlint.analysis.model.values import CapturedArray, ContainerValue, StaticValue, Value
from hybridlint.analysis.mxnet.blocks.retracing import MODES
from hybridlint.runtime.facts.records import replace
from hybridlint.text.syntax import children, walk

#: The structure of an input: "array", "none", "unknown", or those of the elements of a list.
_Structure: TypeAlias = "str | tuple[_Structure, ...]"
#: The branches that code stands in: the ``if`` and the side of it.
_Branches: TypeAlias = frozenset[tuple[int, int]]


def with_structures(events: Sequence[CompiledCall], code: Iterable[ast.AST]) -> list[CompiledCall]:
    """Return the calls of eager code, each with an earlier one whose inputs have another structure.

    Calls that one run may make without the other tell nothing: someone may never make both.
    """
    if len(events) < 2:
        return list(events)
    branches: dict[int, _Branches] = {}
    for node in code:
        branches.update(_branches(node, frozenset(), frozenset()))
    found: list[CompiledCall] = []
    for at, event in enumerate(events):
        others = (other.node for other in events[:at] if _clashes(event, other, branches))
        found.append(replace(event, other=next(others, None)))
    return found


def _clashes(event: CompiledCall, other: CompiledCall, branches: Mapping[int, _Branches]) -> bool:
    same = event.block.creation is other.block.creation and not event.block.alternatives
    if not same or _all_branches(event, branches) != _all_branches(other, branches):
        return False
    given = [_whole(one) for one in (event, other)]
    return None not in given and _differ(given[0] or (), given[1] or ())


def _all_branches(event: CompiledCall, branches: Mapping[int, _Branches]) -> _Branches:
    nodes = [event.node, *(site.node for site in event.frame.calls)]
    return frozenset().union(*(branches.get(id(node), frozenset()) for node in nodes))


def _whole(event: CompiledCall) -> tuple[_Structure, ...] | None:
    given = event.arguments
    if given.keyword_nodes or any(isinstance(node, ast.Starred) for node in given.nodes):
        return None
    return tuple(map(_structure, given.values))


def _structure(value: Value) -> _Structure:
    match value:
        case CapturedArray():
            return "array"
        case StaticValue(value=None):
            return "none"
        case ContainerValue(kind="list" | "tuple", items=tuple() as items):
            return tuple(map(_structure, items))
        case ContainerValue(kind="list" | "tuple"):
            return "list"
        case _:
            return "unknown"


def _differ(one: tuple[_Structure, ...], other: tuple[_Structure, ...]) -> bool:
    pairs = zip_longest(one, other, fillvalue="none")
    return any(_unlike(a, b) for a, b in pairs)


def _unlike(one: _Structure, other: _Structure) -> bool:
    if "unknown" in {one, other}:
        return False
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) != len(other) or any(map(_unlike, one, other))
    if "list" in {one, other}:
        return "array" in {one, other} or "none" in {one, other}
    return one != other


def _branches(node: ast.AST, inside: _Branches, counters: frozenset[str]) -> Iterator[tuple[int, _Branches]]:
    """Yield each call below a node, by identity, with the branches that contain it.

    Tests of a loop's counter and of the mode are left out: one program comes to both sides.
    """
    if isinstance(node, ast.Call):
        yield id(node), inside
    if isinstance(node, ast.For):
        counters |= {n.id for n in walk(node.target) if isinstance(n, ast.Name)}
    sides: list[tuple[Sequence[ast.AST], int]] = [(children(node), 0)]
    if isinstance(node, ast.If | ast.IfExp) and not _comes_to_both(node.test, counters):
        body, orelse = (side if isinstance(side, list) else [side] for side in (node.body, node.orelse))
        sides = [([node.test], 0), (body, 1), (orelse, 2)]
    elif isinstance(node, ast.Try):
        sides = [(node.body, 0), (node.handlers, 1), (node.orelse, 0), (node.finalbody, 0)]
    for parts, side in sides:
        for part in parts:
            yield from _branches(part, inside | {(id(node), side)} if side else inside, counters)


def _comes_to_both(test: ast.expr, counters: frozenset[str]) -> bool:
    names = {n.id for n in walk(test) if isinstance(n, ast.Name)}
    asked = {n.attr for n in walk(test) if isinstance(n, ast.Attribute)} | names
    return bool(names & counters or asked & MODES)
