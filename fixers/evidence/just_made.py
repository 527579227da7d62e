"""Arrays that a statement has just made, so that nothing but one name refers to them yet."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import Frame
from hybridlint.analysis.model.values import Namespace, Tensor
from hybridlint.fixers.evidence.aliases import shares_memory
from hybridlint.fixers.toolkit.names import block_around
from hybridlint.text.syntax import walk

#: How the names of functions begin whose arrays share the memory of others: ``nd.from_numpy``.
_SHARING = ("from_", "to_")


def is_just_made(frame: Frame, node: ast.stmt, name: str) -> bool:
    """Return whether the last statement that mentions a name before another one of its block makes the name's array.

    Stores into items of the array may stand between the two: they copy what they are given.
    """
    block = block_around(frame, node) or [node]
    for before in reversed(block[: block.index(node)]):
        uses = [n for n in walk(before) if isinstance(n, ast.Name) and n.id == name]
        match before:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                return _is_new(frame, value)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=held) as base)]) if held == name:
                if uses != [base]:
                    return False
            case _ if uses:
                return False
    return False


def _is_new(frame: Frame, value: ast.expr) -> bool:
    """Whether an expression makes a new array: an operator, or a method that does not share the memory of its array."""
    made = frame.seen.value(value)
    if not isinstance(made, Tensor) or made.mode != "legacy":
        return False
    match value:
        case ast.BinOp() | ast.UnaryOp():
            return True
        case ast.Call(func=ast.Attribute(value=receiver, attr=name)):
            match frame.seen.value(receiver):
                case Namespace():
                    return not name.startswith(_SHARING)
                case Tensor():
                    return not shares_memory(value)
    return False
