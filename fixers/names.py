"""Names and places: what a call is called, and what stands around an expression."""

from __future__ import annotations

import ast

from hybridlint.analysis.events import Frame


def dotted(node: ast.expr) -> tuple[str, ...] | None:
    """Return the names of ``a.b.c``, or None for anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return (node.id, *reversed(names))


def parent_of(frame: Frame, node: ast.AST) -> ast.AST | None:
    """Return the parent of a node within the event's statement."""
    if frame.statement is None:
        return None
    return next((p for p in ast.walk(frame.statement) if any(c is node for c in ast.iter_child_nodes(p))), None)


def block_around(frame: Frame, statement: ast.stmt) -> list[ast.stmt] | None:
    """Return the list of statements that a statement stands in."""
    for parent in ast.walk(frame.source.tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and statement in block:
                return block
    return None


def required_inputs(frame: Frame) -> list[str]:
    """Return the inputs of `hybrid_forward` that have no default."""
    function = frame.function
    if not isinstance(function, ast.FunctionDef) or function.name != "hybrid_forward":
        return []
    names = [a.arg for a in function.args.args[2:]]
    return names[: len(names) - len(function.args.defaults)]
