"""Fixers of ``x[mask]`` in numpy mode: a sum or mean over the selected elements keeps a known shape."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import CodeContext, Subscript
from hybridlint.analysis.model.values import Tensor, Value
from hybridlint.fixers.evidence.sizes.shape_guesses import may_have_one_shape
from hybridlint.fixers.toolkit.names import block_around, dotted_parts, parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.statements import join_fixes, replace_statements
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk

#: The gradient of np.where with a number in MXNet 1.9.1 is that of the other side: zeros are an array here.
_WRITTEN = {
    "sum": "{F}.np.sum({F}.np.where({mask}, {x}, {F}.np.zeros_like({x})))",
    "mean": "{F}.np.sum({F}.np.where({mask}, {x}, {F}.np.zeros_like({x}))) / {F}.np.sum({mask})",
}


def reduced_by_mask(event: Subscript, functions: str, keys: Sequence[ast.expr], values: Sequence[Value]) -> Fix | None:
    """Write ``x[mask].sum()`` as ``F.np.sum(F.np.where(mask, x, zeros))``, and divide by the mask's sum for ``mean``.

    None unless the mask has the shape of the tensor: a mask of fewer axes keeps whole rows.
    """
    node, frame = event.node, event.frame
    if len(keys) != 1 or not isinstance(node, ast.Subscript) or not isinstance(event.value, Tensor):
        return None
    mask = values[0]
    if not isinstance(mask, Tensor) or mask.type.dtype != "bool":
        return None
    equal = mask.type.shape is not None and mask.type.provably_equals(event.value.type)
    if not equal and (
        _ranks_differ(mask, event.value) or not may_have_one_shape(frame, _before(frame, node.value), keys[0])
    ):
        return None
    reduced = _reduction(frame, functions, node)
    if reduced is None:
        return _named(frame, functions, node, keys[0], equal=equal)
    call, how = reduced
    parts: dict[str, cst.BaseExpression] = {"mask": frame.concrete(keys[0]), "x": frame.concrete(node.value)}
    new = expression(_WRITTEN[how], F=functions, **parts)
    return rewrite(frame, call, new, safe_if(equal and how == "sum"))


def _named(frame: CodeContext, functions: str, node: ast.Subscript, mask: ast.expr, *, equal: bool) -> Fix | None:
    """Write ``y = x[mask]`` with zeros for the omitted elements, if all reads of `y` are sums and means."""
    statement, function = frame.statement, frame.function
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is node:
            pass
        case _:
            return None
    if not isinstance(function, ast.FunctionDef) or statement not in function.body:
        return None
    uses = frame.flow.reads_of(name)
    reads = [_reduction(frame, functions, n) for n in uses if _is_after(n, statement)]
    alone = len(frame.flow.bindings_of(name)) == 1 and len(reads) == len(uses)
    if not alone or not reads or any(isinstance(n, ast.Call) for n in walk(mask)) or _is_bound_after(frame, mask):
        return None
    fixes = [_zeroed(frame, functions, name, node, safe_if(equal))]
    for found in reads:
        if found is None:
            return None
        if found[1] == "mean":
            new = expression("{F}.np.sum({y}) / {F}.np.sum({mask})", F=functions, y=name, mask=frame.concrete(mask))
            fixes.append(rewrite(frame, found[0], new, Applicability.UNSAFE))
    return join_fixes(f"Write zeros in place of the elements that `{name}` leaves out", fixes)


def _zeroed(frame: CodeContext, functions: str, name: str, node: ast.Subscript, how: Applicability) -> Fix | None:
    template = "{F}.np.where({mask}, {x}, {F}.np.zeros_like({x}))"
    mask = frame.concrete(node.slice)
    if isinstance(node.value, ast.Name):
        return rewrite(frame, node, expression(template, F=functions, mask=mask, x=node.value.id), how)
    assert frame.statement is not None
    lines = f"{{name}} = {{whole}}\n{{name}} = {template}"
    new = statements(lines, name=name, whole=frame.concrete(node.value), F=functions, mask=mask, x=name)
    return replace_statements(
        frame, frame.statement, new, how, message=f"Write zeros in place of the elements that `{name}` leaves out"
    )


def _is_after(node: ast.expr, statement: ast.stmt) -> bool:
    return node.lineno > (statement.end_lineno or statement.lineno)


def _is_bound_after(frame: CodeContext, mask: ast.expr) -> bool:
    """Whether a name that the mask reads is bound behind the statement, or by the statement itself."""
    names = {n.id for n in walk(mask) if isinstance(n, ast.Name)}
    first = frame.statement.lineno if frame.statement is not None else 0
    return any(bound.row >= first for name in names for bound in frame.flow.rebindings_of(name))


def _reduction(frame: CodeContext, functions: str, node: ast.expr) -> tuple[ast.Call, str] | None:
    """Return the call that sums ``x[mask]`` or takes its mean, and its name; None for other uses."""
    parent = parent_of(frame, node, frame.function)
    if isinstance(parent, ast.Attribute):
        call = parent_of(frame, parent, frame.function)
        plain = isinstance(call, ast.Call) and call.func is parent and not call.args and not call.keywords
        return (call, parent.attr) if plain and isinstance(call, ast.Call) and parent.attr in _WRITTEN else None
    if not isinstance(parent, ast.Call) or parent.args != [node] or parent.keywords:
        return None
    path = dotted_parts(parent.func) or ()
    return (parent, path[2]) if path[:2] == (functions, "np") and len(path) == 3 and path[2] in _WRITTEN else None


def _ranks_differ(mask: Tensor, value: Tensor) -> bool:
    return mask.type.rank is not None and value.type.rank is not None and mask.type.rank != value.type.rank


def _before(frame: CodeContext, node: ast.expr) -> ast.expr:
    """Return the value bound to a name above the statement, if the name is rebound; any other node unchanged."""
    statement, block = frame.statement, block_around(frame, frame.statement) if frame.statement is not None else None
    if not isinstance(node, ast.Name) or block is None or statement not in block:
        return node
    for earlier in reversed(block[: block.index(statement)]):
        match earlier:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == node.id:
                return value
    return node
