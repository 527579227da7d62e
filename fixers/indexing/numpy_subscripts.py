"""Fixers of subscripts in numpy mode on which Symbols raise: subscripts and functions that Symbols accept."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import Subscript
from hybridlint.analysis.model.values import Tensor, Value
from hybridlint.fixers.evidence.row_numbers import are_row_numbers
from hybridlint.fixers.indexing.keys import flat_keys, is_ellipsis, is_none, listed_rows, literal
from hybridlint.fixers.indexing.masks import reduced_by_mask
from hybridlint.fixers.indexing.subscripts import proves_tensor
from hybridlint.fixers.toolkit.nodes import between, subscript, whole_axis
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst
from hybridlint.text.concrete import key_at
from hybridlint.text.edits import Applicability, Fix

#: Like a subscript, it counts negative rows from the end.
_TAKEN = "{np}.take({x}, {key}, axis=0, mode='wrap')"


def numpy_subscript(event: Subscript) -> Fix | None:
    """Replace a subscript that a Symbol of numpy mode refuses by an accepted subscript or a function.

    ``x[[0, 2]]`` becomes ``F.np.stack([x[0], x[2]])``, ``x[None]`` becomes ``F.np.expand_dims`` of x.
    """
    functions, node = event.frame.functions, event.node
    if functions is None or not isinstance(node, ast.Subscript) or not isinstance(event.value, Tensor):
        return None
    keys, values = flat_keys(event.keys, event.key_values)
    masked = reduced_by_mask(event, functions, keys, values)
    if masked is not None:
        return masked
    taken = _taken(event, f"{functions}.np", keys, values)
    if taken is not None:
        return taken
    new = _numpy_content(event, f"{functions}.np", event.frame.concrete(node.value), keys, values)
    return None if new is None else rewrite(event.frame, node, new, safe_if(proves_tensor(event.value, keys)))


def _taken(event: Subscript, np: str, keys: Sequence[ast.expr], values: Sequence[Value]) -> Fix | None:
    """Write ``table[rows]`` as ``F.np.take`` of the rows, if the code suggests that they are numbers and no mask."""
    assert isinstance(event.node, ast.Subscript)
    if len(keys) != 1 or not isinstance(values[0], Tensor) or values[0].type.dtype is not None:
        return None
    if not are_row_numbers(event.frame, keys[0]):
        return None
    rows, frame = event.frame.concrete(keys[0]), event.frame
    new = expression(_TAKEN, np=np, x=frame.concrete(event.node.value), key=rows)
    return rewrite(frame, event.node, new, Applicability.UNSAFE)


def _numpy_content(
    event: Subscript, np: str, base: cst.BaseExpression, keys: Sequence[ast.expr], values: Sequence[Value]
) -> cst.BaseExpression | None:
    assert isinstance(event.value, Tensor)
    if not keys:
        return expression("{x}[:]", x=base)
    single = _single(event, np, base, keys[0], values[0]) if len(keys) == 1 else None
    if single is not None:
        return single
    if any(is_none(key) for key in keys) and all(is_none(key) or _is_whole(key) for key in keys):
        for place in (place for place, key in enumerate(keys) if is_none(key)):
            base = _expanded(np, base, place)
        return base
    if any(is_none(key) for key in keys) and all(is_none(k) or is_ellipsis(k) or _is_whole(k) for k in keys):
        return _expanded_around_dots(np, base, keys)
    if len(keys) == 2 and is_ellipsis(keys[0]) and event.value.type.rank is None and literal(keys[1]) is not None:
        last = literal(keys[1])
        found = last is not None and last >= 0
        return expression("{np}.moveaxis({x}, -1, 0)[{last}]", np=np, x=base, last=last) if found else None
    return _without_dots(event, base, keys)


def _expanded_around_dots(np: str, base: cst.BaseExpression, keys: Sequence[ast.expr]) -> cst.BaseExpression:
    """Write ``x[..., None]`` with expand_dims; axes after the Ellipsis are counted from the end."""
    dots = next(place for place, key in enumerate(keys) if is_ellipsis(key))
    for place in (place for place, key in enumerate(keys) if is_none(key)):
        behind = sum(not is_none(key) for key in keys[place + 1 :])
        base = _expanded(np, base, place if place < dots else -1 - behind)
    return base


def _without_dots(event: Subscript, base: cst.BaseExpression, keys: Sequence[ast.expr]) -> cst.BaseExpression | None:
    """Write ``x[..., 0]`` of a tensor of known rank with slices: ``x[:, :, 0]`` for rank 3."""
    assert isinstance(event.value, Tensor)
    rank = event.value.type.rank
    if rank is None or sum(is_ellipsis(key) for key in keys) != 1 or any(is_none(key) for key in keys):
        return None
    missing = [whole_axis()] * (rank - len(keys) + 1)
    source = event.frame.source
    return subscript(base, [p for key in keys for p in (missing if is_ellipsis(key) else [key_at(source, key)])])


def _single(
    event: Subscript, np: str, base: cst.BaseExpression, key: ast.expr, value: Value
) -> cst.BaseExpression | None:
    """Return the replacement of ``x[key]`` for one key: an integer, True, a tensor or a list of integers."""
    number = None if isinstance(key, ast.Constant) and isinstance(key.value, bool) else literal(key)
    if number is not None:
        row = subscript(base, [between(number, None if number == -1 else number + 1)])
        return expression("{np}.squeeze({row}, axis=0)", np=np, row=row)
    if isinstance(key, ast.Constant) and key.value is True:
        return _expanded(np, base, 0)
    if isinstance(value, Tensor) and value.type.dtype not in {None, "bool"}:
        return expression(_TAKEN, np=np, x=base, key=event.frame.concrete(key))
    rows = listed_rows(key)
    if rows is not None and isinstance(key, ast.List):
        parts = [expression("{x}[{row}:][0]" if row < 0 else "{x}[{row}]", x=base, row=row) for row in rows]
        return expression("{np}.stack([{parts}])", np=np, parts=parts)
    return None


def _expanded(np: str, base: cst.BaseExpression, place: int) -> cst.BaseExpression:
    return expression("{np}.expand_dims({x}, {place})", np=np, x=base, place=place)


def _is_whole(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice) and node.lower is node.upper is node.step is None
