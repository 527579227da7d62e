"""Fixers of subscripts of legacy tensors: slice_axis, slice, squeeze, expand_dims, take."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import CodeContext, Subscript
from hybridlint.analysis.model.values import DataDependentValue, Tensor, Value
from hybridlint.fixers.arithmetic.broadcasting import with_broadcasting
from hybridlint.fixers.evidence.aliases import part_changes
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.evidence.tensors import handled_as_tensor, is_array_method, proved_value
from hybridlint.fixers.indexing.all_parts import all_parts
from hybridlint.fixers.indexing.crops import crop
from hybridlint.fixers.indexing.cuts import CutPlan, plan_cuts, within, write
from hybridlint.fixers.indexing.even_parts import even_part
from hybridlint.fixers.indexing.inner_crops import inner_crop
from hybridlint.fixers.indexing.keys import flat_keys, listed_rows, literal
from hybridlint.fixers.indexing.picks import pick_of_rows
from hybridlint.fixers.indexing.proportional_slices import SharedPart, shared_part
from hybridlint.fixers.toolkit.arguments import data_and_rest
from hybridlint.fixers.toolkit.names import dotted_parts, parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.registry import find
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix


def subscript(event: Subscript) -> Fix | None:
    """Write ``x[key]`` of a legacy tensor with operators: ``x[:, 1:]`` as ``F.slice_axis(x, axis=1, begin=1, ...)``.

    None for keys that no operator covers, and if a later in-place change would show in the view.
    """
    functions, node = event.frame.functions, event.node
    if functions is None or not isinstance(node, ast.Subscript) or not isinstance(event.value, Tensor):
        return None
    if part_changes(event.frame, node):
        return None
    keys, values = flat_keys(event.keys, event.key_values)
    whole = all_parts(event) or even_part(event.frame, node) or crop(event.frame, node) or inner_crop(event.frame, node)
    if whole is not None or any(_waits(event.frame, key) for key in keys):
        return whole
    single = _gather(event, functions, node, keys[0], values[0]) if len(keys) == 1 else None
    several = pick_of_rows(event, functions, keys, values) or _gather_together(event, functions, node, keys, values)
    return single or several or _cut_out(event, functions, node, keys, values)


def _waits(frame: CodeContext, key: ast.expr) -> bool:
    """Whether a slice begins at a size of a tensor, which a graph does not know. Its origin is fixed first.

    The slice may then take the middle of a tensor: ``x[:, begin : begin + size]``.
    """
    match key:
        case ast.Slice(lower=ast.Name() as lower, upper=ast.BinOp(op=ast.Add())):
            return SizeInference(frame).reads_tensor(lower)
    return False


def _cut_out(
    event: Subscript, functions: str, node: ast.Subscript, keys: Sequence[ast.expr], values: Sequence[Value]
) -> Fix | None:
    """Write ``x[key]`` as slices of axes, for keys of integers, slices, None and Ellipsis.

    ``x[0]`` becomes ``F.squeeze(F.slice_axis(x, axis=0, begin=0, end=1), axis=0)``.
    """
    assert isinstance(event.value, Tensor)
    plan, around = plan_cuts(event.frame, node, keys, values, event.value.type), _put_back(event.frame, node)
    whole: ast.expr = node
    if plan is not None and around is not None and plan.dropped == [around[1]] and not plan.inserted:
        plan, whole = plan.keeping, around[0]
    base, shared = event.frame.concrete(node.value), None if plan is None else _shared(event.frame, node, plan)
    if plan is not None and shared is not None:
        plan, base = shared[0], shared[1].of(functions, base)
    same = shared is not None and plan is not None and not plan.cuts_axes
    new = None if plan is None else base if same else write(functions, base, plan, event.value.type)
    if plan is None or new is None:
        return None
    certain = _assured(event, keys) and not any(isinstance(v, DataDependentValue) for v in values)
    sure = certain and shared is None and all(within(cut, event.value.type) for cut in plan.cuts)
    open_shape = event.value.type.shape is None
    return (with_broadcasting if open_shape else rewrite)(event.frame, whole, new, safe_if(sure))


def _shared(frame: CodeContext, node: ast.Subscript, plan: CutPlan) -> tuple[CutPlan, SharedPart] | None:
    """Return a plan without the cut that takes shares of its axis, and that cut's part; else None."""
    for cut in plan.cuts:
        if cut.key is not None and cut.key.step is None and not cut.whole:
            found = shared_part(frame, node.value, cut.axis, cut.key.lower, cut.key.upper)
            if found is not None:
                rest = tuple(other for other in plan.cuts if other is not cut)
                return replace(plan, cuts=rest), found
    return None


def _put_back(frame: CodeContext, node: ast.Subscript) -> tuple[ast.Call, int] | None:
    """Return the call around a subscript that inserts an axis again, ``x[:, 2].expand_dims(1)``, and the axis."""
    around = parent_of(frame, node)
    call = parent_of(frame, around) if isinstance(around, ast.Attribute) else around
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    given = data_and_rest(call, ("axis",), (dotted_parts(call.func) or ("",))[0] == frame.functions)
    axis = None if given is None or given[0] is not node else literal(given[1][0])
    expands = lookup.of_tensors(call.func.attr) is lookup.method("expand_dims")
    return (call, axis) if axis is not None and expands else None


def _assured(event: Subscript, keys: Sequence[ast.expr]) -> bool:
    """Whether the subscripted value is surely a tensor, by the key or by its other uses in the function."""
    assert isinstance(event.value, Tensor)
    assert isinstance(event.node, ast.Subscript)
    name = event.node.value
    if proves_tensor(event.value, keys) or has_array_method(event.frame, event.node):
        return True
    return isinstance(name, ast.Name) and handled_as_tensor(event.frame, name.id)


def has_array_method(frame: CodeContext, node: ast.Subscript) -> bool:
    """Whether the code calls a method of arrays on the slice, which a slice of a list would not have."""
    outer = parent_of(frame, node)
    called = isinstance(outer, ast.Attribute) and isinstance(parent_of(frame, outer), ast.Call)
    return isinstance(node.slice, ast.Slice) and called and is_array_method(outer.attr)  # type: ignore[union-attr]


def proves_tensor(value: Tensor, keys: Sequence[ast.expr]) -> bool:
    """Whether the keys prove that the value is a tensor; a list accepts integers and slices too."""
    if value.origin != "argument" or value.type.shape is not None or len(keys) != 1:
        return True
    return not (isinstance(keys[0], ast.Slice) or literal(keys[0]) is not None or isinstance(keys[0], ast.Name))


def _gather(event: Subscript, functions: str, node: ast.Subscript, key: ast.expr, value: Value) -> Fix | None:
    """Write ``x[key]`` for a key that selects rows: a tensor by ``F.take``, a list or range by slices.

    ``x[[0, 2]]`` becomes ``F.concat`` of a ``F.slice_axis`` for each row.
    """
    base = event.frame.concrete(node.value)
    if isinstance(value, Tensor):
        taken = "{F}.take({data}, {key}, axis=0, mode='wrap')"
        new = expression(taken, F=functions, data=base, key=event.frame.concrete(key))
        sure = value.type.dtype != "bool" and proved_value(event.frame, value, key) and _counts_from_front(key)
        return rewrite(event.frame, node, new, safe_if(sure))
    rows = listed_rows(key, flags=True)
    if rows is None:
        return None
    template = "{F}.slice_axis({data}, axis=0, begin={begin}, end={end})"
    ends = [row + 1 if row != -1 else None for row in rows]
    parts = [
        expression(template, F=functions, data=base, begin=begin, end=end)
        for begin, end in zip(rows, ends, strict=True)
    ]
    new = parts[0] if len(parts) == 1 else expression("{F}.concat({parts}, dim=0)", F=functions, parts=parts)
    simple = isinstance(node.value, ast.Name)
    return rewrite(event.frame, node, new, safe_if(simple)) if simple or len(parts) == 1 else None


def _gather_together(
    event: Subscript, functions: str, node: ast.Subscript, keys: Sequence[ast.expr], values: Sequence[Value]
) -> Fix | None:
    """Write ``x[F.arange(n), rows]`` as ``F.gather_nd(x, F.stack(F.arange(n), rows, axis=0))``.

    Unsafe: a subscript broadcasts positions of unequal shapes, which stack does not.
    """
    tensors = [value for value in values if isinstance(value, Tensor)]
    ranks = {value.type.rank for value in tensors}
    if len(keys) < 2 or len(tensors) != len(keys) or any(v.type.dtype == "bool" for v in tensors):
        return None
    if len(ranks) > 1 and ranks != {None, 1}:
        # An axis of size 1 is meant to be broadcast.
        return None
    rows = [_in_single_precision(event.frame, key, value) for key, value in zip(keys, tensors, strict=True)]
    template = "{F}.gather_nd({data}, {F}.stack({rows}, axis=0))"
    new = expression(template, F=functions, data=event.frame.concrete(node.value), rows=rows)
    return rewrite(event.frame, node, new, Applicability.UNSAFE)


def _in_single_precision(frame: CodeContext, key: ast.expr, value: Tensor) -> cst.BaseExpression:
    """Return positions in single precision, as stack takes tensors of one dtype only."""
    whole = frame.concrete(key)
    return whole if value.type.dtype == "float32" else expression('{key}.astype("float32")', key=whole)


def _counts_from_front(key: ast.expr) -> bool:
    """Whether a tensor of positions surely has no negative ones.

    For negative positions, the gradient of an array's subscript differs from that of ``F.take``.
    """
    return isinstance(key, ast.Compare) or counts(key)


def counts(node: ast.expr) -> bool:
    """Whether an expression calls an operator that returns positions: whole numbers from 0."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name)):
            operators = (find(f"{prefix}{name}") for prefix in ("", "_", "_contrib_"))
            return any(operator is not None and operator.facts.positions for operator in operators)
    return False
