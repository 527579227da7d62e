"""Fixers of sizes read from tensors in numpy mode, which has no slice_like, broadcast_like or one_hot by a tensor."""

from __future__ import annotations

import ast
from collections.abc import Callable

from hybridlint.analysis.model.events import CodeContext, Event
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.indexing.keys import is_none, literal
from hybridlint.fixers.shapes.sizes import elements, parse
from hybridlint.fixers.shapes.triangles import TRIANGLES
from hybridlint.fixers.toolkit.names import dotted_parts, parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.text.edits import Applicability, Fix


def numpy_sizes(event: Event, node: ast.expr, tensor: Tensor) -> Fix | None:
    """Rewrite an expression that uses a size, or the whole shape, of a tensor of numpy mode."""
    frame = event.frame
    outer = parent_of(frame, node)
    call = parent_of(frame, outer) if isinstance(outer, ast.Tuple | ast.List) else outer
    if frame.functions is None or not isinstance(call, ast.Call):
        return None if frame.functions is None else _cut(frame, node)
    path = dotted_parts(call.func) or ()
    triangle = _triangle(frame, node)
    if triangle is not None or len(path) != 3 or path[0] != frame.functions:
        return triangle
    fixer = _FIXERS.get(path[2]) if path[1] == "np" else None
    if lookup.function(path[1:-1], path[2]) is lookup.function(("npx",), "one_hot"):
        fixer = _one_hot
    return None if fixer is None else fixer(frame, call, node, tensor)


def _cut(frame: CodeContext, size: ast.expr) -> Fix | None:
    """Write ``y[:, : x.shape[1]]`` as ``F.np.take`` of `y` at the positions along axis 1 of `x`.

    Unsafe: a subscript stops at the end of the axis, and this repeats the last row there.
    """
    axis, key = axis_read(size), parent_of(frame, size)
    if axis is None or not isinstance(key, ast.Slice) or key.upper is not size:
        return None
    outer = parent_of(frame, key)
    keys = outer.elts if isinstance(outer, ast.Tuple) else [key]
    outer = parent_of(frame, outer) if isinstance(outer, ast.Tuple) else outer
    from_start = key.step is None and (key.lower is None or literal(key.lower) == 0)
    others = (k for k in keys if k is not key)
    if not isinstance(outer, ast.Subscript) or not from_start or not all(map(_is_whole, others)):
        return None
    if not isinstance(outer.ctx, ast.Load):
        return None
    template = "{F}.np.take({y}, {F}.npx.arange_like({x}, axis={axis}), axis={place})"
    rows, place = frame.concrete(outer.value), keys.index(key)
    new = expression(template, F=frame.functions, y=rows, x=axis[0], axis=axis[1], place=place)
    return rewrite(frame, outer, new, Applicability.UNSAFE)


def _is_whole(key: ast.expr) -> bool:
    return isinstance(key, ast.Slice) and all(
        part is None or is_none(part) for part in (key.lower, key.upper, key.step)
    )


def _filled(frame: CodeContext, call: ast.Call, node: ast.expr, tensor: Tensor) -> Fix | None:
    """Write ``F.np.zeros(x.shape)`` as ``F.np.zeros_like(x)``, cast where `x` may not be in single precision.

    Zeros of other sizes become zeros_like of a tensor that is made in that shape.
    """
    assert isinstance(call.func, ast.Attribute)
    given = [k for k in call.keywords if k.arg not in {"ctx", "device"}]
    like = lookup.like(call.func.attr)
    if like is None or len(call.args) != 1 or given:
        return None
    shape = call.args[0]
    template = "{F}.np.{like}({x})" if tensor.type.dtype == "float32" else '{F}.np.{like}({x}).astype("float32")'
    if isinstance(shape, ast.Attribute):
        new = expression(template, F=frame.functions, like=like, x=frame.concrete(shape.value))
        return rewrite(frame, call, new, Applicability.SAFE)
    sizes = elements(shape)
    numbers = [1 if size is node else literal(size) for size in sizes]
    axis = axis_read(node)
    if axis is None or any(number is None or number < 1 for number in numbers):
        return None
    made = expression("{F}.npx.arange_like({x}, axis={axis})", F=frame.functions, x=axis[0], axis=axis[1])
    if len(sizes) > 1:
        codes = [-1 if size is node else 1 for size in sizes]
        made = expression("{x}.reshape({codes})", x=made, codes=codes)
    if set(numbers) != {1}:
        made = expression("{F}.np.tile({x}, ({numbers},))", F=frame.functions, x=made, numbers=numbers)
    new = expression(template, F=frame.functions, like=like, x=made)
    return rewrite(frame, call, new, Applicability.SAFE)


def _repeated_row(frame: CodeContext, call: ast.Call, node: ast.expr, _: Tensor) -> Fix | None:
    """Write ``F.np.tile(y, (x.shape[0], 1, 1))`` of a `y` with one row as ``F.np.take`` of row 0, repeated."""
    if len(call.args) != 2 or call.keywords:
        return None
    data, repeats, axis = call.args[0], elements(call.args[1]), axis_read(node)
    held = frame.seen.value(data)
    one = isinstance(held, Tensor) and held.type.rank == len(repeats) and (held.type.shape or (0,))[0] == 1
    if axis is None or not one or repeats[0] is not node or any(literal(r) != 1 for r in repeats[1:]):
        return None
    template = "{F}.np.take({y}, {F}.np.zeros_like({F}.npx.arange_like({x}, axis={axis})), axis=0)"
    new = expression(template, F=frame.functions, y=frame.concrete(data), x=axis[0], axis=axis[1])
    return rewrite(frame, call, new, Applicability.SAFE)


def _unit_matrix(frame: CodeContext, call: ast.Call, node: ast.expr, tensor: Tensor) -> Fix | None:
    """Write ``F.np.eye(len(x))`` as ``expand_dims(p, 1) == p`` of the positions ``p`` along the axis."""
    axis = axis_read(node)
    if axis is None or call.args != [node] or call.keywords:
        return None
    at = expression("{F}.npx.arange_like({x}, axis={axis})", F=frame.functions, x=axis[0], axis=axis[1])
    new = expression('({F}.np.expand_dims({at}, 1) == {at}).astype("float32")', F=frame.functions, at=at)
    # Half precision counts exactly only to 2048.
    return rewrite(frame, call, new, safe_if(tensor.type.dtype not in {None, "float16"}))


def _one_hot(frame: CodeContext, call: ast.Call, node: ast.expr, _: Tensor) -> Fix | None:
    """Write ``F.npx.one_hot(rows, x.shape[1])`` as ``rows == positions`` of the positions along the axis of `x`.

    Rows of integers are cast: arrays of unlike dtypes are not compared. Unsafe: one_hot cuts off what follows the point
    of rows that are no whole numbers.
    """
    axis = axis_read(node)
    if axis is None or len(call.args) != 2 or call.args[1] is not node or call.keywords:
        return None
    at = expression("{F}.npx.arange_like({x}, axis={axis})", F=frame.functions, x=axis[0], axis=axis[1])
    template = '({F}.np.expand_dims({rows}.astype("float32"), -1) == {at}).astype("float32")'
    new = expression(template, F=frame.functions, rows=frame.concrete(call.args[0]), at=at)
    return rewrite(frame, call, new, Applicability.UNSAFE)


def _triangle(frame: CodeContext, node: ast.expr) -> Fix | None:
    """Write ``np.tril(np.ones((n, n)))`` of an ``n = x.shape[1]`` as ``expand_dims(p, 1) >= p`` of positions ``p``.

    ``np.triu`` of it is ``<=``; with ``k=1`` or ``-1``, which leaves out the diagonal, it is ``<`` or ``>``.
    """
    shape = parent_of(frame, node)
    ones = None if shape is None else parent_of(frame, shape)
    call = None if ones is None else parent_of(frame, ones)
    axis = axis_read(node)
    match call, shape:
        case ast.Call(func=function, args=[made, *offset], keywords=keywords), ast.Tuple(elts=[first, second]):
            path, given = dotted_parts(function) or (), [*offset, *(k.value for k in keywords if k.arg == "k")]
        case _:
            return None
    numbers = [literal(each) for each in given] or [0]
    sign = TRIANGLES.get((path[-1] if path else "", numbers[0] or 0))
    whole = isinstance(made, ast.Call) and made is ones and (dotted_parts(made.func) or ("",))[-1] == "ones"
    alike = ast.dump(first) == ast.dump(second) and not (isinstance(made, ast.Call) and made.keywords)
    if (
        axis is None
        or sign is None
        or None in numbers
        or not whole
        or not alike
        or len(given) != len(call.args) - 1 + len(keywords)
    ):
        return None
    at = expression("{F}.npx.arange_like({x}, axis={axis})", F=frame.functions, x=axis[0], axis=axis[1])
    new = expression(f'({{F}}.np.expand_dims({{at}}, 1) {sign} {{at}}).astype("float32")', F=frame.functions, at=at)
    return rewrite(frame, call, new, Applicability.UNSAFE)


def axis_read(node: ast.expr) -> tuple[str, int] | None:
    """Return `x` and 1 for ``x.shape[1]``, `x` and 0 for ``len(x)``, where `x` is a name; None otherwise."""
    size = parse(node)
    return None if size is None else size.plain


_FIXERS: dict[str, Callable[[CodeContext, ast.Call, ast.expr, Tensor], Fix | None]] = {
    "zeros": _filled,
    "ones": _filled,
    "tile": _repeated_row,
    "eye": _unit_matrix,
}
