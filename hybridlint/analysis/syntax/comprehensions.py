"""Comprehensions: interpreted once for any step, then step by step if the steps are known and few."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from hybridlint.analysis.dispatch import evaluate, expression
from hybridlint.analysis.flow.iterators import emit_iteration
from hybridlint.analysis.model.lattice import join_all, per_world
from hybridlint.analysis.model.values import STATIC_UNKNOWN, ContainerValue, StaticValue, Value
from hybridlint.analysis.syntax.assignment import assign
from hybridlint.analysis.syntax.conditions import condition, evaluate_condition, narrow_worlds, within
from hybridlint.analysis.syntax.hashing import emit_hashing
from hybridlint.analysis.syntax.iteration import iterate, steps
from hybridlint.runtime.facts.surface import World

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

_Node: TypeAlias = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
_KINDS: dict[type[_Node], Literal["list", "set", "generator", "dict"]] = {
    ast.ListComp: "list",
    ast.SetComp: "set",
    ast.GeneratorExp: "generator",
    ast.DictComp: "dict",
}
#: The deepest nesting of comprehensions and loops that are unrolled.
_MOST_DEEP = 2


@expression(ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
def comprehension(act: Activation, node: _Node) -> Value:
    """Evaluate a comprehension and return the container of its results."""
    source = evaluate(act, node.generators[0].iter)
    emit_iteration(act, node, node.generators[0].iter, source)
    known = _known_steps(act, node, source)
    before = dict(act.flow.names)
    tests = node.generators[0].ifs
    if known is None or tests or not act.run.reporting.quiet:
        made = _of_any_step(act, node, source)
        _forget(act, before)
    if known is None:
        return made
    parts: dict[World, list[tuple[Value, Value]]] = {world: [] for world in act.flow.worlds}
    with act.run.reporting.unrolling():
        for step in known:
            assign(act, node.generators[0].target, step, node.generators[0].iter)
            reached = _passing(act, tests)
            if reached is None:
                _forget(act, before)
                return made
            if reached:
                with within(act, reached):
                    part = _element(act, node)
                for world in reached:
                    parts[world].append(part)
            _forget(act, before)
    return per_world({world: _container(node, found) for world, found in parts.items()})


def _passing(act: Activation, tests: Sequence[ast.expr]) -> frozenset[World] | None:
    """Return the runs in which an element passes the comprehension's conditions; None if unknown."""
    reached = act.flow.worlds
    for test in tests:
        known = condition(act, test, "comprehension", test)
        if any(known[world] is None for world in reached):
            return None
        reached = narrow_worlds(known, reached, holds=True)
    return reached


def _known_steps(act: Activation, node: _Node, source: Value) -> Sequence[Value] | None:
    """Return the values that the target takes in each iteration; None if they are unknown or too many."""
    plain = len(node.generators) == 1 and not isinstance(node, ast.SetComp)
    if act.role.building or not plain or act.run.budget.busy or act.run.loops() >= _MOST_DEEP:
        return None
    return steps(source)


def _of_any_step(act: Activation, node: _Node, source: Value) -> Value:
    size: int | None = None
    for index, generator in enumerate(node.generators):
        held = evaluate(act, generator.iter) if index else source
        if isinstance(held, ContainerValue) and held.items is not None and len(node.generators) == 1:
            size = len(held.items)
        assign(act, generator.target, iterate(act, held, generator.iter, "iteration"), generator.iter)
        for test in generator.ifs:
            size = None
            evaluate_condition(act, test, "comprehension", test)
    _, value = _element(act, node)
    kind = _KINDS[type(node)]
    return (
        ContainerValue(kind, (value,) * size)
        if size is not None and kind in {"list", "generator"}
        else ContainerValue(kind, None, value)
    )


def _element(act: Activation, node: _Node) -> tuple[Value, Value]:
    """Evaluate one iteration; return its key (None unless it is a dict comprehension) and its value."""
    if not isinstance(node, ast.DictComp):
        value = evaluate(act, node.elt)
        if isinstance(node, ast.SetComp):
            emit_hashing(act, node, value)
        return StaticValue(None), value
    key = evaluate(act, node.key)
    emit_hashing(act, node, key)
    return key, evaluate(act, node.value)


def _container(node: _Node, parts: Sequence[tuple[Value, Value]]) -> ContainerValue:
    values = tuple(value for _, value in parts)
    if not isinstance(node, ast.DictComp):
        return ContainerValue(_KINDS[type(node)], values)
    keys = tuple(key.value for key, _ in parts if isinstance(key, StaticValue) and key.value is not STATIC_UNKNOWN)
    return (
        ContainerValue("dict", values, keys=keys)
        if len(keys) == len(values)
        else ContainerValue("dict", None, join_all(list(values)))
    )


def _forget(act: Activation, before: dict[str, Value]) -> None:
    """Restore the names that the comprehension's targets have shadowed; attributes stored on self remain."""
    kept = {name: value for name, value in act.flow.names.items() if name.startswith("self.")}
    act.flow.names = before | kept
