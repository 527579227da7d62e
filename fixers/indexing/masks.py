"""Fixers of ``x[mask]`` in numpy mode: a sum or mean over the selected elements keeps a known shape."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import Frame, Subscript
from hybridlint.analysis.model.values import Tensor, Value
from hybridlint.fixers.evidence.shape_guesses import may_have_one_shape
from hybridlint.fixers.toolkit.names import block_around, dotted, parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst
from hybridlint.text.edits import Fix

#: The gradient of np.where with a number in MXNet 1.9.1 is that of the other side: zeros are an array here.
_WRITTEN = {
    "sum": "{F}.np.sum({F}.np.where({mask}, {x}, {F}.np.zeros_like({x})))",
    "mean": "{F}.np.sum({F}.np.where({mask}, {x}, {F}.np.zeros_like({x}))) / {F}.np.sum({mask})",
}


def reduced_by_mask(event: Subscript, functions: str, keys: Sequence[ast.expr], values: Sequence[Value]) -> Fix | None:
    """Write ``x[mask].sum()`` as ``F.np.sum(F.np.where(mask, x, zeros))``, and ``mean`` as that over their number.

    None unless the mask has the shape of the tensor: a mask of fewer axes keeps whole rows.
    """
    node, frame = event.node, event.frame
    if len(keys) != 1 or not isinstance(node, ast.Subscript) or not isinstance(event.value, Tensor):
        return None
    mask, reduced = values[0], _reduction(event, functions, node)
    if reduced is None or not isinstance(mask, Tensor) or mask.type.dtype != "bool":
        return None
    call, how = reduced
    equal = mask.type.shape is not None and mask.type.provably_equals(event.value.type)
    if not equal and (
        _ranks_differ(mask, event.value) or not may_have_one_shape(frame, _before(frame, node.value), keys[0])
    ):
        return None
    parts: dict[str, cst.BaseExpression] = {"mask": frame.concrete(keys[0]), "x": frame.concrete(node.value)}
    new = expression(_WRITTEN[how], F=functions, **parts)
    return rewrite(frame, call, new, safe_if(equal and how == "sum"))


def _reduction(event: Subscript, functions: str, node: ast.Subscript) -> tuple[ast.Call, str] | None:
    """Return the call that sums ``x[mask]`` or takes its mean, and its name; None for other uses."""
    parent = parent_of(event.frame, node)
    if isinstance(parent, ast.Attribute):
        call = parent_of(event.frame, parent)
        plain = isinstance(call, ast.Call) and call.func is parent and not call.args and not call.keywords
        return (call, parent.attr) if plain and isinstance(call, ast.Call) and parent.attr in _WRITTEN else None
    if not isinstance(parent, ast.Call) or parent.args != [node] or parent.keywords:
        return None
    path = dotted(parent.func) or ()
    return (parent, path[2]) if path[:2] == (functions, "np") and len(path) == 3 and path[2] in _WRITTEN else None


def _ranks_differ(mask: Tensor, value: Tensor) -> bool:
    return mask.type.rank is not None and value.type.rank is not None and mask.type.rank != value.type.rank


def _before(frame: Frame, node: ast.expr) -> ast.expr:
    """Return the value bound to a name above the statement, if the name is rebound; any other node unchanged."""
    statement, block = frame.statement, block_around(frame, frame.statement) if frame.statement is not None else None
    if not isinstance(node, ast.Name) or block is None or statement not in block:
        return node
    for earlier in reversed(block[: block.index(statement)]):
        match earlier:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == node.id:
                return value
    return node
