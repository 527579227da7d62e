"""``with`` statements: the scopes and objects that they enter, and the effect on the code inside."""

from __future__ import annotations

import ast
from typing import TypeAlias

from hybridlint.analysis.dispatch import evaluate, execute, statement
from hybridlint.analysis.flow.gradients import blocked_behind, lets_gradients_pass, made_in, stopped_by_callers
from hybridlint.analysis.model.events import ArgumentsEvent, CallSite, ScopeEvent
from hybridlint.analysis.model.values import Function, LibraryInstance, ScopeOf, SelfRef, StaticValue, Unknown, Value
from hybridlint.analysis.run.activation import Activation
from hybridlint.analysis.syntax.assignment import assign
from hybridlint.analysis.syntax.conditions import within
from hybridlint.analysis.syntax.decorating_scopes import is_decorator
from hybridlint.analysis.syntax.functions import called_from, enter
from hybridlint.analysis.syntax.scope_stacks import is_stack, place_of_scope

#: A scope, where it is told, and the calls that lead there.
_Held: TypeAlias = "tuple[ScopeOf, ast.AST, tuple[CallSite, ...]]"


@statement(ast.With)
def _with(act: Activation, node: ast.With) -> None:
    around = act.run.surroundings
    outer, depth = around.stacked, len(around.scopes)
    held, entered = _enter_items(act, node)
    before, worlds = act.flow.copy(), act.flow.worlds
    modal, moving, returned = act.run.trail.modal, act.run.trail.moving, len(act.ends.returns)
    execute(act, node.body)
    for place, manager in reversed(entered):
        _special(act, place, manager, "__exit__", *[StaticValue(None)] * 3)
    del around.scopes[depth:]
    if around.stacked is not None and around.stacked is not outer:
        held += [(scope, at, act.place.calls) for scope, at in around.stacked]
    around.stacked = outer
    if not held or act.silent:
        return
    made = [*made_in(act, node, before), *(("", value) for _, value, _ in act.ends.returns[returned:])]
    asks = bool(made) and act.run.trail.modal > modal
    moves = bool(made) and act.run.trail.moving > moving
    rest = act.place.block[act.place.block.index(node) + 1 :] if node in act.place.block else ()
    blocked = blocked_behind(act.node, node, rest) if made else frozenset()
    passing = [name for name, value in made if name not in blocked and lets_gradients_pass(value)]
    flows = bool(passing) and not stopped_by_callers(act, node, passing)
    calls = act.place.calls
    with within(act, worlds):
        for scope, at, act.place.calls in held:
            # Whether gradients are recorded decides whether statistics move on.
            differs = moves if scope.keeps_mode else asks
            act.emit(ScopeEvent, at, name=scope.name, modal=differs, flows=flows, sure=scope.sure)
    act.place.calls = calls


def _enter_items(act: Activation, node: ast.With) -> tuple[list[_Held], list[tuple[ast.expr, SelfRef]]]:
    """Enter what a ``with`` enters. Returns the scopes, and the objects to leave again, each with its expression."""
    held: list[_Held] = []
    entered: list[tuple[ast.expr, SelfRef]] = []
    around = act.run.surroundings
    for item in node.items:
        manager = item.context_expr
        value = evaluate(act, manager)
        if isinstance(value, ScopeOf):
            held.append((value, manager if is_decorator(act.node, manager) else node, act.place.calls))
            around.scopes += [value.name] if value.sure else []
        inside: Value = value if isinstance(value, LibraryInstance | SelfRef) else Unknown()
        if is_stack(value):
            around.stacked = []
        if isinstance(value, SelfRef) and _is_entered(value):
            given, scopes = _entered(act, manager, value)
            held += [(scope, place_of_scope(act, manager, scope), called_from(act, manager)) for scope in scopes]
            inside = given if value.instance.info.method("__enter__") is not None else inside
            entered.append((manager, value))
        elif isinstance(value, SelfRef):
            inside = Unknown()
        if item.optional_vars is not None:
            assign(act, item.optional_vars, inside, node)
    return held, entered


def _is_entered(manager: SelfRef) -> bool:
    """Return whether a ``with`` enters an object by methods of the project."""
    return manager.instance.info.method("__exit__") is not None or is_stack(manager)


def _entered(act: Activation, place: ast.expr, manager: SelfRef) -> tuple[Value, list[ScopeOf]]:
    """Return the result of an object's ``__enter__``, and the scopes that it enters, which end with the ``with``."""
    if is_stack(manager):
        return _special(act, place, manager, "__enter__"), []
    around = act.run.surroundings
    outer, around.stacked = around.stacked, []
    given = _special(act, place, manager, "__enter__")
    scopes, around.stacked = [scope for scope, _ in around.stacked], outer
    return given, scopes


def _special(act: Activation, place: ast.expr, scope: SelfRef, name: str, *values: Value) -> Value:
    """Return the result of a special method of a plain object; Unknown if its class has none."""
    found = None if scope.instance.info.block else scope.instance.info.method(name)
    if found is None:
        return Unknown()
    return enter(act, Function(*found, (scope,)), ArgumentsEvent((place,) * len(values), values, {}, {}), place)
