"""Stores whose value depends on a decision: a comparison, a choice between numbers, or the branch that contains them.

So does what is stored of a dtype, which all calls of a proof share.

Nothing runs. Calls that all decide alike show one outcome of the decision only.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.proving.brief.stores import targets
from hybridlint.proving.brief.thresholds import deciding


def stores(function: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """Yield each expression that a function stores to, and whether its value depends on a decision.

    What is stored where it is not there yet (``if self.units is None``) depends on none.
    """
    yield from _stores(function, [])


def _stores(node: ast.AST, tests: list[ast.expr]) -> Iterator[tuple[ast.expr, bool]]:
    for child in ast.iter_child_nodes(node):
        inner = [*tests, node.test] if isinstance(node, (ast.If, ast.While)) and child is not node.test else tests
        if isinstance(child, ast.stmt) and not hasattr(child, "body"):
            value = getattr(child, "value", None)
            chosen = value is not None and _chooses(value)
            for target in targets(child):
                yield target, chosen or (bool(inner) and not any(_is_missing(test, target) for test in inner))
        else:
            yield from _stores(child, inner)


def _chooses(value: ast.AST) -> bool:
    parts = list(ast.walk(value))
    chosen = any(isinstance(part, (ast.IfExp, ast.BoolOp)) or getattr(part, "attr", "") == "dtype" for part in parts)
    return chosen or any(deciding(value))


def _is_missing(test: ast.expr, target: ast.expr) -> bool:
    """Whether a test asks if the stored attribute exists at all."""
    name = getattr(target, "attr", "")
    asked = any(getattr(node, "attr", "") == name or getattr(node, "value", "") == name for node in ast.walk(test))
    none = any(isinstance(node, ast.Constant) and node.value is None for node in ast.walk(test))
    absent = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    return bool(name) and asked and (none or absent)
