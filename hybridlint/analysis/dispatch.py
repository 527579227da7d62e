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
    from hybridlint.analysis.model.events import ArgumentsEvent
    from hybridlint.analysis.run.activation import Activation

_Expression: TypeAlias = "Callable[[Activation, Any], Value]"
_Statement: TypeAlias = "Callable[[Activation, Any], None]"
_Callee: TypeAlias = "Callable[[Activation, ast.Call, Any, ArgumentsEvent], Value]"
_Member: TypeAlias = "Callable[[Activation, Any, str], Value]"
_Method: TypeAlias = "Callable[[Activation, ast.Call, Any, str], Value]"
_BySyntax: TypeAlias = "Callable[[Activation, ast.Call, Any], Value | None]"
E = TypeVar("E", bound=_Expression)
S = TypeVar("S", bound=_Statement)
C = TypeVar("C", bound=_Callee)
A = TypeVar("A", bound=_Member)
M = TypeVar("M", bound=_Method)
B = TypeVar("B", bound=_BySyntax)

_expressions: dict[type, _Expression] = {}
_statements: dict[type, _Statement] = {}
_callees: dict[type, _Callee] = {}
_by_syntax: dict[type, _BySyntax] = {}
_members: dict[type, _Member] = {}
_methods: dict[type, _Method] = {}


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


def called_by_syntax(kind: type) -> Callable[[B], B]:
    """Return a decorator that registers a function as the evaluator of calls with unevaluated arguments.

    `invoke_by_syntax` uses it for callees of this kind.
    """

    def register(handler: B) -> B:
        _by_syntax[kind] = handler
        return handler

    return register


def attribute_of(*kinds: type) -> Callable[[A], A]:
    """Return a decorator that registers a function as the reader of attributes of these kinds of values."""

    def register(handler: A) -> A:
        _members.update(dict.fromkeys(kinds, handler))
        return handler

    return register


def method_of(*kinds: type) -> Callable[[M], M]:
    """Return a decorator that registers a function as the evaluator of method calls on these kinds of values.

    The function registered for `object` handles all kinds without one of their own.
    """

    def register(handler: M) -> M:
        _methods.update(dict.fromkeys(kinds, handler))
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
    # As `see` does it; without its call, half of which are for names, an analysis takes 2 % less.
    if not run.reporting.quiet and not act.role.building:
        run.seen.add(node, value)
    return value


def see(act: Activation, node: ast.expr, value: Value) -> None:
    """Record the value of an expression in this execution."""
    if not act.run.reporting.quiet and not act.role.building:
        act.run.seen.add(node, value)


def execute(act: Activation, body: Sequence[ast.stmt]) -> None:
    """Interpret statements in order, until neither the eager run nor the trace continues."""
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


def invoke(act: Activation, node: ast.Call, callee: Value, args: ArgumentsEvent) -> Value:
    """Return the result of calling a value; Unknown for kinds without a handler."""
    handler = _callees.get(type(callee))
    return Unknown() if handler is None else handler(act, node, callee, args)


def invoke_by_syntax(act: Activation, node: ast.Call, callee: Value) -> Value | None:
    """Return the result of a call from its syntax alone, before its arguments are evaluated.

    None if no such evaluator is registered for the callee: evaluate the arguments, then use `invoke`.
    """
    handler = _by_syntax.get(type(callee))
    return None if handler is None else handler(act, node, callee)


def member(act: Activation, value: Value, name: str) -> Value:
    """Return the value of an attribute without emitting events; Unknown for kinds without a handler."""
    handler = _members.get(type(value))
    return Unknown() if handler is None else handler(act, value, name)


def call_method(act: Activation, node: ast.Call, receiver: Value, name: str) -> Value:
    """Return the result of a method call on a value. The method's evaluator evaluates the arguments itself."""
    return (_methods.get(type(receiver)) or _methods[object])(act, node, receiver, name)
