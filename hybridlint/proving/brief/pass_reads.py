"""Reads and calls in the pass of a block that a proof asks for: parameters, random draws, decisions, objects."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from hybridlint.proving.brief.stores import key
from hybridlint.proving.brief.thresholds import deciding
from hybridlint.proving.child.brief.changes import DottedCall, Reading
from hybridlint.proving.child.changes.source_nodes import is_self, last_name

#: Methods that return what a parameter holds.
_DATA = ("data", "list_data")
#: Methods that give the numbers in an array; a Symbol has none of them.
_READING = ("asscalar", "asnumpy", "item")
#: Statements that leave what a pass computes as it is.
_IDLE = (ast.Expr, ast.Raise, ast.Pass, ast.Assert)


def parameters_read(functions: Iterable[ast.AST]) -> list[tuple[str, ...]]:
    """Return the parameters whose data functions of a block read, each as its chain of attributes."""
    return list(dict.fromkeys(chain for function in functions for chain in _parameters(function)))


def _parameters(function: ast.AST) -> Iterator[tuple[str, ...]]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _DATA:
            chain, own = _chain(node.func.value, function)
            if own and len(chain) > 1:
                yield chain[1:]


def functions_read(functions: Iterable[ast.AST]) -> list[str]:
    """Return the names of functions, and of all attributes that they read: what a pass may call."""
    found: dict[str, None] = {}
    for function in functions:
        found.setdefault(getattr(function, "name", ""))
        found.update((node.attr, None) for node in ast.walk(function) if isinstance(node, ast.Attribute))
    return list(found)


def dotted_calls(functions: Iterable[ast.AST]) -> list[DottedCall]:
    """Return the calls of names with attributes, such as ``self.random.random()``."""
    return list(dict.fromkeys(call for function in functions for call in _calls(function)))


def _calls(function: ast.AST) -> Iterator[DottedCall]:
    decisions = {id(call) for expression in deciding(function) for call in ast.walk(expression)}
    for node in ast.walk(function):
        names, own = _chain(node.func, function) if isinstance(node, ast.Call) else ((), False)
        if isinstance(node, ast.Call) and names:
            drawn = DottedCall(*_chain(node.args[0], function), False) if names == ("next",) and node.args else None
            yield DottedCall(names, own, id(node) in decisions, drawn)


def _chain(node: ast.expr, function: ast.AST) -> tuple[tuple[str, ...], bool]:
    """Return the names of a dotted expression, and whether it begins with `self`; no names for other expressions."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return ((node.id, *names), is_self(node, function)) if isinstance(node, ast.Name) else ((), False)


def readings(functions: Iterable[ast.AST]) -> Iterator[Reading]:
    """Yield the attributes and items that functions read of anything."""
    for node in (node for function in functions for node in ast.walk(function)):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield Reading(last_name(node.value), node.attr, item=False)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            name = key(node.slice)
            if name is not None:
                yield Reading(last_name(node.value), name, item=True)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get" and node.args:
            name = key(node.args[0])
            if name is not None and isinstance(node.func, ast.Attribute):
                yield Reading(last_name(node.func.value), name, item=True)


def number_tests(functions: Iterable[ast.AST]) -> list[str]:
    """Return the conditions by which functions go on and that ask for the numbers in arrays."""
    return list(dict.fromkeys(ast.unparse(test) for function in functions for test in _tests(function)))


def _tests(function: ast.AST) -> Iterator[ast.expr]:
    nodes = list(ast.walk(function))
    names = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and _reads(node.value, ())
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    deciding = (node for node in nodes if isinstance(node, ast.IfExp | ast.If | ast.While))
    for node in deciding:
        if not _is_idle(node) and _reads(node.test, names):
            yield node.test


def _is_idle(node: ast.IfExp | ast.If | ast.While) -> bool:
    """Whether neither side of a condition changes what a pass computes: it prints, checks or raises."""
    if isinstance(node, ast.IfExp):
        return False
    return all(isinstance(statement, _IDLE) for statement in _flat([*node.body, *node.orelse]))


def _flat(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in statements:
        if isinstance(statement, ast.If):
            yield from _flat([*statement.body, *statement.orelse])
        else:
            yield statement


def _reads(node: ast.expr, names: Sequence[str] | set[str]) -> bool:
    """Whether an expression has the numbers in an array, itself or by a name that holds them."""
    parts = list(ast.walk(node))
    reads = any(isinstance(part, ast.Attribute) and part.attr in _READING for part in parts)
    return reads or any(isinstance(part, ast.Name) and part.id in names for part in parts)
