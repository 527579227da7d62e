"""If-elif chains over one setting: ``if self.kind == "a": ... elif self.kind == "b": ...``, and how they end."""

from __future__ import annotations

import ast

#: Functions that print or warn, and logger methods.
_COMPLAINING = frozenset({"print", "warn", "warning", "error", "info", "debug", "critical", "exception", "log", "exit"})


def complaint(node: ast.If) -> ast.If | None:
    """Return the last ``if`` of a chain if its ``else`` only rejects other values of the setting; None otherwise.

    `node` is the link before it: whoever goes along a chain comes past that, and sees each link once.
    """
    match node.orelse:
        case [ast.If(orelse=[_, *_] as end) as last] if all(map(_complains, end)):
            subject = _subject(node.test)
            return last if subject is not None and _subject(last.test) == subject else None
        case _:
            return None


def ends_in_options(function: ast.AST) -> bool:
    """Return whether a function ends in a chain that returns at each link and has no ``else``.

    A single test of a switch on self is one too: where it is off, an eager run has no result either.
    """
    if not isinstance(function, ast.FunctionDef):
        return False
    node = function.body[-1]
    if isinstance(node, ast.If) and not node.orelse and _is_switch(node.test):
        return isinstance(node.body[-1], ast.Return)
    subject = _subject(node.test) if isinstance(node, ast.If) else None
    while isinstance(node, ast.If):
        if subject is None or _subject(node.test) != subject or not isinstance(node.body[-1], ast.Return | ast.Raise):
            return False
        if not node.orelse:
            return True
        node = node.orelse[-1]
    return False


def _subject(test: ast.expr) -> str | None:
    """Return the setting that a test compares with constants; None for other tests."""
    match test:
        case ast.BoolOp(op=ast.Or(), values=parts):
            subjects = {_subject(part) for part in parts}
            return subjects.pop() if len(subjects) == 1 else None
        case ast.Compare(
            left=ast.Name() | ast.Attribute() as left, ops=[ast.Eq() | ast.In() | ast.Is()], comparators=[right]
        ):
            return ast.dump(left) if _is_constant(right) else None
        case _:
            return None


def _is_switch(test: ast.expr) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _is_switch(inner)
        case ast.Attribute(value=ast.Name(id="self")):
            return True
        case _:
            return False


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return all(map(_is_constant, node.elts))
    return isinstance(node, ast.Constant) and node.value is not None


def _complains(node: ast.stmt) -> bool:
    match node:
        case ast.Raise() | ast.Pass():
            return True
        case ast.Assert(test=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
            return name in _COMPLAINING
        case _:
            return False
