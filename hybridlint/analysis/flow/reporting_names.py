"""Names that a function only reports (prints, logs, keeps in a list of times), without computing anything from them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache

from hybridlint.analysis.model.tables import CHANGING, GROWING
from hybridlint.text.syntax import branches, each, reads, walk

#: The methods that loggers have, and what loggers and modules of such functions are called.
_REPORTS = frozenset({"debug", "info", "warning", "warn", "error", "log", "exception", "critical"})
_REPORTERS = frozenset({"logging", "logger", "log", "warnings"})


def only_reported(function: ast.AST, name: str, tallies: Set[str] = frozenset()) -> bool:
    """Return whether a function only reports the value of a name: no other computation depends on it.

    `tallies` are the attributes of self that nothing computes with.
    """
    return isinstance(function, ast.FunctionDef) and name not in _needed(function.body, tallies)


@lru_cache(maxsize=4)
def tallies(tree: ast.AST) -> frozenset[str]:
    """Return the attributes of self that a file only updates and reports, and that go nowhere else.

    A method of a plain class that the file itself never calls hands them to people.
    """
    known = {name for node in branches(tree) for name in _updated(node)}
    if not known:
        return frozenset()
    called = {n.attr for n in each(tree, ast.Attribute)}
    idle: set[int] = set()
    for node in branches(tree):
        match node:
            case ast.Expr(value=ast.Call(func=function)) if is_report(function):
                idle.update(map(id, walk(node)))
            case ast.ClassDef(bases=[], body=body):
                methods = [n for n in body if isinstance(n, ast.FunctionDef) and not n.name.startswith("__")]
                idle.update(id(n) for method in methods if method.name not in called for n in walk(method))
            case ast.stmt() if names := set(_updated(node)):
                own = (n for n in walk(node) if isinstance(n, ast.Attribute) and n.attr in names)
                idle.update(map(id, own))
            case _:
                pass
    texts = {n.value for n in each(tree, ast.Constant) if isinstance(n.value, str)}
    others = texts | {name for node in branches(tree) for name in _handed_over(node)}
    found: frozenset[str] = frozenset()
    while True:
        reads = {n.attr for n in each(tree, ast.Attribute) if _is_read(n) and id(n) not in idle}
        grown = frozenset(known - reads - others)
        if grown == found:
            return found
        found = grown
        # What only goes into such an attribute, as the time at which a span began, is part of it.
        idle.update(id(n) for node in branches(tree) if _only_stores(node, found) for n in walk(node))


def _only_stores(node: ast.AST, names: Set[str]) -> bool:
    """Return whether a statement does nothing but to store or to increase some attributes of self."""
    match node:
        case ast.AugAssign(target=target):
            return own_attribute(target) in names
        case ast.Assign(targets=targets):
            return all(isinstance(target, ast.Attribute) and own_attribute(target) in names for target in targets)
        case _:
            return False


def _handed_over(node: ast.AST) -> Iterator[str]:
    """Yield the attributes of self that a statement sets to an object with other owners."""
    match node:
        case ast.Assign(targets=targets, value=ast.Name() | ast.BoolOp() | ast.IfExp()):
            yield from (name for target in targets if (name := own_attribute(target)) is not None)
        case _:
            return


def _is_read(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Load)


def _updated(node: ast.AST) -> Iterator[str]:
    """Yield the attributes of self that a statement stores, or whose items or containers it changes."""
    targets: list[ast.expr] = []
    match node:
        case ast.Assign():
            targets = list(node.targets)
        case ast.AugAssign():
            targets = [node.target]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=holder, attr=method))) if method in GROWING:
            targets = [holder]
        case _:
            pass
    for target in targets:
        if (name := own_attribute(target)) is not None:
            yield name


def own_attribute(node: ast.expr) -> str | None:
    """Return the attribute of self that an expression is, or is an item of; None for others, and for ``__dict__``."""
    while isinstance(node, ast.Subscript):
        node = node.value
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=name) if not name.startswith("__"):
            return name
        case _:
            return None


def only_counts(function: ast.AST, name: str) -> bool:
    """Return whether a name is a count that a function changes, reports or asserts to have begun, and nothing else.

    It may be a list of counts, ``steps[0] += 1``.
    """
    idle: set[int] = set()
    for node in walk(function):
        match node:
            case ast.AugAssign(target=target) | ast.Assign(targets=[target]) if _is_count(target, name):
                idle.update(map(id, walk(node)))
            case ast.Expr(value=ast.Call(func=called)) if is_report(called):
                idle.update(map(id, walk(node)))
            case ast.Assert(test=test) if _holds_from_one_on(test, name):
                idle.update(map(id, walk(node)))
            case _:
                pass
    return all(id(node) in idle for node in reads(function, name))


def _holds_from_one_on(test: ast.expr, name: str) -> bool:
    """Return whether a test holds for every count from one on."""
    match test:
        case ast.Compare(left=tested, ops=[op], comparators=[ast.Constant(value=int() as least)]):
            first = isinstance(op, ast.GtE) and least <= 1
            return _is_count(tested, name) and (first or (isinstance(op, ast.Gt | ast.NotEq) and least <= 0))
        case _:
            return _is_count(test, name)


def _is_count(node: ast.expr, name: str) -> bool:
    """Return whether an expression reads a name, or an item of its value."""
    match node:
        case ast.Name(id=known) | ast.Subscript(value=ast.Name(id=known), slice=ast.Constant()):
            return known == name
        case _:
            return False


def _needed(body: Iterable[ast.stmt], tallies: Set[str] = frozenset()) -> frozenset[str]:
    """Return the names that are read, directly or through other names, for a purpose other than reporting."""
    needed: set[str] = set()
    passed: list[tuple[set[str], set[str]]] = []
    for statement in _statements(body):
        targets = set() if tallies and not tallies.isdisjoint(_updated(statement)) else _targets(statement)
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
            case ast.Try(finalbody=last, handlers=handlers):
                yield from _statements([*node.body, *node.orelse, *last])
                yield from _statements(part for handler in handlers for part in handler.body)
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
        case ast.Attribute(value=ast.Call(func=ast.Name(id=made) | ast.Attribute(attr=made)), attr=name):
            return name in _REPORTS and made == "getLogger"
        case _:
            return False


def only_reports(node: ast.If) -> bool:
    """Return whether no branch of an ``if`` does more than to report or to complain."""
    inner = [*node.body, *node.orelse]
    return all(
        isinstance(n, ast.Expr | ast.Pass | ast.Raise) or (isinstance(n, ast.If) and only_reports(n)) for n in inner
    )


def tells_only(node: ast.If, tallies: Set[str]) -> bool:
    """Return whether the branches of an ``if`` only print, log, and store values that nothing reads."""
    return all(_tells(part, tallies) for part in (*node.body, *node.orelse))


def _tells(node: ast.stmt, tallies: Set[str]) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=called)):
            return is_report(called)
        case ast.If():
            return tells_only(node, tallies)
        case _:
            return isinstance(node, ast.Pass) or _only_stores(node, tallies)


def _targets(node: ast.stmt | ast.expr) -> set[str] | None:
    """Return the names that a plain assignment binds, or the container that a method call fills.

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


def labels(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a tree that only name what functions of a namespace make: ``F.dot(x, y, name=text)``."""
    for part in walk(node):
        match part:
            case ast.Call(func=ast.Attribute(value=ast.Name()), keywords=keywords):
                yield from (n for keyword in keywords if keyword.arg == "name" for n in walk(keyword.value))
            case _:
                pass


def _read(node: ast.AST) -> set[str]:
    names = [n for n in walk(node) if isinstance(n, ast.Name)]
    naming = set(map(id, labels(node))) if names else set()
    return {n.id for n in names if id(n) not in naming}
