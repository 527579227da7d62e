"""Registries that route each kind of syntax node or callee to the interpreter function that handles it.

A part of the interpreter registers the kinds that it handles and calls this module for all others, so that parts never
import each other in a cycle. `grammar` imports all parts.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from hybridlint.analysis.model.values import Unknown, Value

if TYPE_CHECKING:
    from hybridlint.analysis.model.events import Arguments
    from hybridlint.analysis.run.activation import Activation

_Expression: TypeAlias = "Callable[[Activation, Any], Value]"
_Statement: TypeAlias = "Callable[[Activation, Any], None]"
_Callee: TypeAlias = "Callable[[Activation, ast.Call, Any, Arguments], Value]"
E = TypeVar("E", bound=_Expression)
S = TypeVar("S", bound=_Statement)
C = TypeVar("C", bound=_Callee)

_expressions: dict[type, _Expression] = {}
_statements: dict[type, _Statement] = {}
_callees: dict[type, _Callee] = {}


def expression(*kinds: type[ast.expr]) -> Callable[[E], E]:
    """Return a decorator that registers a function as the evaluator of these kinds of expressions."""

    def register(handler: E) -> E:
        _expressions.update(dict.fromkeys(kinds, handler))
        return handler

    return register


def statement(*kinds: type[ast.stmt]) -> Callable[[S], S]:
    """Return a decorator that registers a function as the interpreter of these kinds of statements."""

    def register(handler: S) -> S:
        _statements.update(dict.fromkeys(kinds, handler))
        return handler

    return register


def callee(kind: type) -> Callable[[C], C]:
    """Return a decorator that registers a function as the evaluator of calls of this kind of value."""

    def register(handler: C) -> C:
        _callees[kind] = handler
        return handler

    return register


def evaluate(act: Activation, node: ast.expr) -> Value:
    """Evaluate an expression, emitting events on the way; return Unknown for kinds without a handler."""
    run = act.run
    budget = run.budget
    budget.steps += 1
    if budget.steps > budget.most_steps:
        return Unknown()
    handler = _expressions.get(type(node))
    if handler is None:
        return Unknown()
    value = handler(act, node)
    if not run.reporting.quiet and not act.role.building:
        run.seen.add(node, value)
    return value


def execute(act: Activation, body: Sequence[ast.stmt]) -> None:
    """Interpret statements in order, until no run can go on."""
    place, budget = act.place, act.run.budget
    outer = place.statement, place.block
    place.block = body
    for node in body:
        if not act.flow.worlds:
            break
        if budget.steps > budget.most_steps:
            if act.role.entry and budget.cut is None:
                budget.cut = place.statement or node
            break
        budget.steps += 1
        place.statement = node
        handler = _statements.get(type(node))
        if handler is not None:
            handler(act, node)
    place.statement, place.block = outer


def invoke(act: Activation, node: ast.Call, callee: Value, args: Arguments) -> Value:
    """Return the result of calling a value; Unknown for kinds without a handler."""
    handler = _callees.get(type(callee))
    return Unknown() if handler is None else handler(act, node, callee, args)
