"""Code that is unreachable with the default settings of a block."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from hybridlint.analysis.flow.constant_tests import Values, truths
from hybridlint.text.syntax import each, holds, is_own, walk


def is_off(function: ast.AST, node: ast.AST, setting: Callable[[str], Values]) -> bool:
    """Return whether the settings on self keep a method from ever reaching a statement, or a part of one."""
    body = getattr(function, "body", ())

    def value_of(part: ast.expr) -> Values:
        return setting(part.attr) if is_own(part) else None

    return any(holds not in truths(test, value_of) for test, holds in _conditions(body, node))


def depends_on_settings(function: ast.AST, node: ast.AST) -> bool:
    """Return whether attributes of self decide whether a method gets to a part of it."""
    tests = (test for test, _ in _conditions(getattr(function, "body", ()), node))
    return any(is_own(part) for test in tests for part in walk(test))


def _conditions(body: Sequence[ast.stmt], node: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the tests that decide whether a node runs, each with its required truth.

    They are the tests around the node and the early exits before it.
    """
    for at, one in enumerate(body):
        if not holds(one, node):
            continue
        yield from ((n.test, False) for n in body[:at] if isinstance(n, ast.If) and _ends(n.body) and not n.orelse)
        if isinstance(one, ast.If) and not holds(one.test, node):
            within = any(holds(part, node) for part in one.body)
            yield one.test, within
            yield from _conditions(one.body if within else one.orelse, node)
        elif isinstance(one, ast.With | ast.For | ast.While | ast.Try):
            yield from _conditions(one.body, node)
        for choice in each(one, ast.IfExp) if not isinstance(node, ast.stmt) else ():
            yield from (
                (choice.test, side is choice.body) for side in (choice.body, choice.orelse) if holds(side, node)
            )


def _ends(body: Sequence[ast.stmt]) -> bool:
    return isinstance(body[-1], ast.Return | ast.Raise)
