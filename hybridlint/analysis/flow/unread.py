"""Names that a function only reports (prints, logs, keeps in a list of times), without computing anything from them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from hybridlint.analysis.model.tables import CHANGING
from hybridlint.text.syntax import walk

#: The methods that loggers have, and what loggers and modules of such functions are called.
_REPORTS = frozenset({"debug", "info", "warning", "warn", "error", "log", "exception", "critical"})
_REPORTERS = frozenset({"logging", "logger", "log", "warnings"})


def only_reported(function: ast.AST, name: str) -> bool:
    """Return whether a function only reports the value of a name: no other computation depends on it."""
    return isinstance(function, ast.FunctionDef) and name not in _needed(function.body)


def _needed(body: Iterable[ast.stmt]) -> frozenset[str]:
    """Return the names that are read, directly or through other names, for a purpose other than reporting."""
    needed: set[str] = set()
    passed: list[tuple[set[str], set[str]]] = []
    for statement in _statements(body):
        targets = _targets(statement)
        if targets is None:
            needed |= _read(statement)
        else:
            passed.append((targets, _read(statement)))
    grown = True
    while grown:
        before = len(needed)
        for targets, read in passed:
            if targets & needed:
                needed |= read
        grown = len(needed) > before
    return frozenset(needed)


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt | ast.expr]:
    """Yield simple statements, nested ones included, and the tests of compound statements that do more than report."""
    for node in body:
        match node:
            case ast.If() if only_reports(node):
                continue
            case ast.If(test=part) | ast.While(test=part) | ast.For(iter=part):
                yield part
                if isinstance(node, ast.For):
                    yield node.target
                yield from _statements(node.body)
                yield from _statements(node.orelse)
            case ast.With(items=items):
                yield from (item.context_expr for item in items)
                yield from _statements(node.body)
            case _:
                yield node


def is_report(called: ast.expr) -> bool:
    """Return whether a called function prints, logs or warns, by its name."""
    match called:
        case ast.Name(id=name):
            return name == "print"
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            return name in _REPORTS and owner.lower().strip("_") in _REPORTERS
        case ast.Attribute(value=ast.Attribute(attr=owner), attr=name):
            return name in _REPORTS and owner.lower().strip("_") in _REPORTERS
        case _:
            return False


def only_reports(node: ast.If) -> bool:
    """Return whether no branch of an ``if`` does more than to report or to complain."""
    inner = [*node.body, *node.orelse]
    return all(
        isinstance(n, ast.Expr | ast.Pass | ast.Raise) or (isinstance(n, ast.If) and only_reports(n)) for n in inner
    )


def _targets(node: ast.stmt | ast.expr) -> set[str] | None:
    """Return the names that a plain assignment binds, or that of the container that a method fills.

    An empty set for a statement that only reports, None for any other statement.
    """
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method))) if method in CHANGING:
            return {name}
        case ast.Expr() | ast.Delete() | ast.Pass():
            return set()
        case ast.Assign(targets=targets) if all(isinstance(t, ast.Name) for t in targets):
            return {t.id for t in targets if isinstance(t, ast.Name)}
        case ast.AugAssign(target=ast.Name(id=name)) | ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
        case _:
            return None


def _read(node: ast.AST) -> set[str]:
    return {n.id for n in walk(node) if isinstance(n, ast.Name)}
