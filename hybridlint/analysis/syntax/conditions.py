"""Conditions: the truth of an expression in each run, and what follows from it for the values of names."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce

from hybridlint.analysis.dispatch import evaluate, expression
from hybridlint.analysis.flow.none_substitutes import omitted_choice
from hybridlint.analysis.flow.truth import Truth, truth
from hybridlint.analysis.model.events import Branch
from hybridlint.analysis.model.lattice import in_world, join_all, per_world
from hybridlint.analysis.model.options import left_by, left_true, options
from hybridlint.analysis.model.tables import changes_by_call
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    ContainerValue,
    DataDependentValue,
    EagerTracePair,
    External,
    LibraryInstance,
    Outputs,
    SelfRef,
    ShapeProvenance,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.run.activation import Activation
from hybridlint.analysis.run.flow import merge
from hybridlint.analysis.run.temporary_attribute import TemporaryAttribute
from hybridlint.analysis.syntax.special_methods import asked_truth
from hybridlint.analysis.syntax.unusual_branches import mark_unusual
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.surface import World
from hybridlint.text.parameters import defaults_of


def condition(act: Activation, node: ast.expr, kind: str, statement: ast.AST) -> dict[World, Truth]:
    """Evaluate a condition and return its truth in the eager run and at the trace."""
    value = evaluate_condition(act, node, kind, statement)
    return {"eager": truth(value, "eager"), "traced": truth(value, "traced")}


def evaluate_condition(act: Activation, node: ast.expr, kind: str, place: ast.AST) -> Value:
    """Evaluate a condition, emitting an event if its truth depends on a tensor."""
    if isinstance(node, ast.BoolOp):
        return _bool_op(act, node, (kind, place))
    value = evaluate(act, node)
    if isinstance(node, ast.Constant):
        return StaticValue(node.value, certain=True)
    ask_truth(act, value, node, kind, place)
    return value


def ask_truth(act: Activation, value: Value, node: ast.expr, kind: str, place: ast.AST) -> None:
    """Emit an event if the truth of a value depends on a tensor."""
    if isinstance(value, EagerTracePair) and isinstance(value.traced, Tensor | Outputs):
        value = value.traced
    optional = isinstance(value, Tensor) and value.optional
    if optional and not (isinstance(node, ast.Name) and node.id in act.tensors):
        act.suspect(Branch, place, kind=kind, condition=node, value=value)
        return
    asked_truth(act, node, value)
    if isinstance(value, Tensor | Outputs | DataDependentValue):
        act.emit(Branch, place, kind=kind, condition=node, value=value)


def by_switch(act: Activation, test: ast.expr, *, holds: bool) -> TemporaryAttribute:
    """Interpret a branch of a test. Mark it if the default of the tested argument takes the other branch."""
    default = _switch_default(act, test) if act.role.entry else None
    against = act.place.against_default or (default is not None and default is not holds)
    return TemporaryAttribute(act.place, "against_default", against)


def _switch_default(act: Activation, test: ast.expr) -> bool | None:
    """Return the truth of a test of an argument for its default, True or False; None for other tests."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            default = _switch_default(act, inner)
            return None if default is None else not default
        case ast.Name(id=name) if isinstance(act.node, ast.FunctionDef):
            given = defaults_of(act.node.args).get(name)
            known = given.value if isinstance(given, ast.Constant) else None
            return known if isinstance(known, bool) else None
        case _:
            return None


def narrow_worlds(known: dict[World, Truth], worlds: frozenset[World], holds: bool) -> frozenset[World]:
    """Return the worlds in which a condition may be true (or, if not `holds`, false)."""
    return frozenset(w for w in worlds if known[w] is not (not holds))


@contextmanager
def within(act: Activation, worlds: frozenset[World]) -> Iterator[None]:
    """Interpret the code inside for these runs only."""
    before = act.flow.worlds
    act.flow.worlds = worlds
    try:
        yield
    finally:
        act.flow.worlds = before


def narrow(act: Activation, test: ast.expr, holds: bool) -> None:
    """Restrict the values of names so that a condition is true (or, if not `holds`, false)."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            narrow(act, inner, not holds)
        case ast.BoolOp(op=ast.And(), values=parts) if holds:
            for part in parts:
                narrow(act, part, holds)
        case ast.BoolOp(op=ast.Or(), values=parts) if not holds:
            for part in parts:
                narrow(act, part, holds)
        case ast.BoolOp(op=ast.Or() | ast.And(), values=parts):
            _narrow_to_one(act, parts, holds)
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
            _narrow_optional(act, left, none=holds == isinstance(op, ast.Is))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            _narrow_compared(act, (left, op, right), holds=holds)
        case ast.Name():
            if holds:
                _narrow_optional(act, test, none=False)
            _narrow_setting(act, test, lambda value: left_true(value, holds=holds))
        case ast.Attribute():
            _narrow_setting(act, test, lambda value: left_true(value, holds=holds))
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), classes]) if _are_containers(classes):
            _narrow_container(act, name, holds=holds)
        case _:
            return


def _narrow_container(act: Activation, name: str, *, holds: bool) -> None:
    """Bind an argument that is a tensor or a container of tensors to what a check for containers leaves."""
    value = act.lookup(name)
    if isinstance(value, Unknown) and value.either:
        element = act.tensor(origin="element" if holds else "argument", lineage=ShapeProvenance(act.run.token()))
        act.flow.names[name] = ContainerValue("list", None, element) if holds else element


def _are_containers(classes: ast.expr) -> bool:
    """Return whether the classes that a value is checked for are ``list`` and ``tuple``, or one of them."""
    named = classes.elts if isinstance(classes, ast.Tuple) else [classes]
    return all(isinstance(one, ast.Name) and one.id in {"list", "tuple"} for one in named)


def _narrow_to_one(act: Activation, parts: list[ast.expr], holds: bool) -> None:
    """Restrict the values of names, knowing that at least one of several conditions is true (or false)."""
    before, ways = act.flow, []
    for part in parts:
        act.flow = before.copy()
        narrow(act, part, holds)
        ways.append(act.flow)
    act.flow = reduce(merge, ways)


def _narrow_compared(act: Activation, test: tuple[ast.expr, ast.cmpop, ast.expr], *, holds: bool) -> None:
    left, op, right = test
    if not isinstance(op, ast.Eq | ast.NotEq | ast.In | ast.NotIn):
        return
    if isinstance(left, ast.Constant):
        left, right = right, left
    if not isinstance(left, ast.Name | ast.Attribute):
        return
    _narrow_setting(act, left, lambda value: left_by(value, op, _held(act, right), holds=holds))


def _narrow_setting(
    act: Activation, node: ast.Name | ast.Attribute, left: Callable[[Value], StaticValue | None]
) -> None:
    """Restrict the value of a setting by a condition, or in a constructor the value of an unknown argument."""
    if isinstance(node, ast.Attribute) and not (isinstance(node.value, ast.Name) and node.value.id == "self"):
        return
    value = _held(act, node)
    given = act.role.building and isinstance(value, Unknown)
    found = left(value) if given or isinstance(value, StaticValue) else None
    if found is None or found == value:
        return
    if isinstance(node, ast.Attribute) and not act.role.building:
        if options(value) is not None:
            act.flow.narrowed[node.attr] = found
        return
    name = f"self.{node.attr}" if isinstance(node, ast.Attribute) else node.id
    if act.role.building:
        _bind_same(act, name, value, found)
    else:
        act.flow.names[name] = found


def _held(act: Activation, node: ast.expr) -> Value:
    """Return the value of an expression that was evaluated before, without emitting its events again."""
    if isinstance(node, ast.Constant):
        return StaticValue(node.value, certain=True)
    with act.run.reporting.silently():
        return evaluate(act, node)


def _narrow_optional(act: Activation, node: ast.expr, *, none: bool) -> None:
    if not isinstance(node, ast.Name):
        return
    value = act.lookup(node.id)
    if isinstance(value, Tensor) and value.optional:
        act.flow.names[node.id] = StaticValue(None) if none else replace(value, optional=False)
    elif act.role.building and none and (isinstance(value, Unknown) or value == StaticValue(STATIC_UNKNOWN)):
        _bind_same(act, node.id, value, StaticValue(None, certain=True))


def _bind_same(act: Activation, name: str, value: Value, found: StaticValue) -> None:
    """Bind a constructor's argument, and all names with its value (``self.mode = mode``), to a restricted value."""
    same = [other for other, held in act.flow.names.items() if held is value]
    act.flow.names |= dict.fromkeys([name, *same], found)


@expression(ast.BoolOp)
def _bool_op(act: Activation, node: ast.BoolOp, asker: tuple[str, ast.AST] | None = None) -> Value:
    """Evaluate ``and`` / ``or``, each operand only in the runs that reach it.

    The truth of all operands but the last is tested here; that of the last only if the caller tests the result.
    `asker` is that test: its kind, and the place of its events. None if the caller makes no test.
    """
    stops = isinstance(node.op, ast.Or)
    entered, worlds = act.flow.worlds, act.flow.worlds
    before, narrowed_before, unusual = dict(act.flow.names), dict(act.flow.narrowed), act.flow.unusual
    results: list[Value] = []
    candidates: dict[World, list[Value]] = {world: [] for world in worlds}
    for index, part in enumerate(node.values):
        if not worlds:
            break
        last = index == len(node.values) - 1
        with within(act, worlds):
            value = evaluate(act, part)
            if isinstance(part, ast.Constant):
                value = StaticValue(part.value, certain=True)
            if not last and not (stops and _stands_for_number(value, node.values[index + 1 :])):
                ask_truth(act, value, part, "or" if stops else "and", node)
            if not last:
                narrow(act, part, not stops)
                mark_unusual(act, part, holds=not stops)
            elif asker is not None and not any(_settles(r, stops) for r in results):
                ask_truth(act, value, node if _all_tensors([*results, value]) else part, *asker)
        results.append(value)
        for world in worlds:
            if last or truth(value, world) is not (not stops):
                candidates[world].append(in_world(value, world))
        worlds = frozenset(w for w in worlds if truth(value, w) is not stops)
    act.flow.names, act.flow.narrowed, act.flow.unusual = before, narrowed_before, unusual
    found = per_world(
        {world: own_default(act, candidates[world]) or _chosen(candidates[world], stops) for world in entered}
    )
    both = {True: results[0], False: results[1]} if stops and len(results) == len(node.values) == 2 else {}
    return omitted_choice(act, node.values[0], both, found)


def own_default(act: Activation, values: list[Value]) -> Value | None:
    """Return the object that a constructor makes where it is given none (``noise or Noise()``); None for other choices.

    What the caller may give is unknown, so nothing else can be said of it.
    """
    objects = [
        value
        for value in values
        if isinstance(value, SelfRef | LibraryInstance) or _is_source(value) or _has_objects(value)
    ]
    others = all(value in objects or isinstance(value, Unknown) for value in values)
    return objects[0] if act.role.building and others and len(objects) == 1 else None


def _has_objects(value: Value) -> bool:
    """Return whether a value is a container of objects of the project."""
    return (
        isinstance(value, ContainerValue)
        and bool(value.items)
        and all(isinstance(one, SelfRef) for one in value.items or ())
    )


def _is_source(value: Value) -> bool:
    return type(value) is External and changes_by_call(value.name)


def _chosen(operands: list[Value], stops: bool) -> Value:
    """Return the result of ``and`` / ``or`` in one run, given the operands at which evaluation may stop.

    `stops` is the truth that ends the evaluation: False for ``and``, True for ``or``.
    """
    last = operands[-1]
    decided = isinstance(last, StaticValue) and last.is_boolean and last.certain and last.value is stops
    return last if decided else join_all(operands)


def _stands_for_number(value: Value, others: list[ast.expr]) -> bool:
    """Return whether an optional argument is combined with constants (``k or 3``), so that it must be a number."""
    numbers = all(isinstance(n, ast.Constant) and isinstance(n.value, int | float | str) for n in others)
    return isinstance(value, Tensor) and value.optional and numbers


def _settles(value: Value, stops: bool) -> bool:
    """Return whether an operand is a known setting that ends the evaluation, so that later operands never run."""
    return isinstance(value, StaticValue) and value.value is not STATIC_UNKNOWN and bool(value.value) is stops


def _all_tensors(values: list[Value]) -> bool:
    return all(isinstance(v, Tensor) for v in values)
