"""First axes: whether those of an expression are as long as those of a tensor, by what it is made of."""

from __future__ import annotations

import ast

from hybridlint.analysis.events import Frame
from hybridlint.fixers.keys import literal
from hybridlint.fixers.names import dotted
from hybridlint.fixers.shape_guesses import ELEMENT_WISE

#: Functions that work on each element of the first axis alone.
_BY_ROWS = frozenset({"batch_dot", "Convolution", "FullyConnected", "Pooling"})
_REDUCTIONS = frozenset({"sum", "mean", "max", "min", "prod", "norm"})


def leads(frame: Frame, node: ast.expr, tensor: str, count: int, within: frozenset[str] = frozenset()) -> bool:
    """Whether the first `count` axes of an expression are those of a tensor with a name.

    Layers keep the first axis. `within` are names whose bindings are being looked at.
    """
    match node:
        case ast.Name(id=name):
            made = _made(frame, name, node.lineno)
            if name == tensor:
                return made is None or name in within
            return name not in within and made is not None and leads(frame, made, tensor, count, within | {name})
        case ast.BinOp(left=left, right=right):
            return any(leads(frame, part, tensor, count, within) for part in (left, right))
        case ast.UnaryOp(operand=inner):
            return leads(frame, inner, tensor, count, within)
        case ast.Call(func=ast.Attribute()):
            return any(leads(frame, part, tensor, count, within) for part in _kept(frame, node, count))
    return False


def _made(frame: Frame, name: str, row: int) -> ast.expr | None:
    """Return what a name was bound to last above a row, by a statement that surely runs; None for anything else."""
    body = getattr(frame.function, "body", [])
    stores = [n for n in ast.walk(frame.function or ast.Pass()) if isinstance(n, ast.Name) and n.id == name]
    bound = [n for n in stores if not isinstance(n.ctx, ast.Load)]
    made = [n for n in body if isinstance(n, ast.Assign) and any(target in bound for target in n.targets)]
    if len(made) != len(bound):
        return None
    return next((n.value for n in reversed(made) if n.lineno < row), None)


def _kept(frame: Frame, node: ast.Call, count: int) -> list[ast.expr]:
    """Return the arguments of a call of which its result surely keeps the first `count` axes."""
    assert isinstance(node.func, ast.Attribute)
    path, name = dotted(node.func) or ("",), node.func.attr
    if path[0] == "self" and len(path) == 2:
        return node.args[:1] if count == 1 else []
    function = path[0] == frame.functions
    data = node.args[:1] if function else [node.func.value]
    axis = next((k.value for k in node.keywords if k.arg == "axis"), None)
    positional = node.args[1:] if function else node.args
    place = literal(axis if axis is not None else positional[0] if positional else None)
    if name.startswith("broadcast_") and function:
        return node.args[:2]
    if name in ELEMENT_WISE or (name in _BY_ROWS and function and count == 1):
        return data
    if name == "expand_dims" or name in _REDUCTIONS:
        return data if place is not None and place >= count else []
    return []
