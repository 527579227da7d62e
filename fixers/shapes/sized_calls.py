"""Fixers of calls with sizes of a tensor as arguments: operators that take the tensor itself."""

from __future__ import annotations

import ast
from collections.abc import Callable

from hybridlint.analysis.model.events import AttributeRead, Frame
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.arithmetic.broadcasting import with_broadcasting
from hybridlint.fixers.indexing.crops import cropped
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.indexing.subscripts import counts
from hybridlint.fixers.shapes.sizes import Size, elements, parse, parse_all, shaped
from hybridlint.fixers.toolkit.imports import ndarray_module
from hybridlint.fixers.toolkit.names import dotted
from hybridlint.fixers.toolkit.nodes import string
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk

#: The default dtype of creation functions, and the mark for the dtype of the tensor.
_DEFAULT = "float32"
OWN = ""

_ARRAYS = frozenset({("nd",), ("mx", "nd"), ("mxnet", "nd")})


def with_tensor(event: AttributeRead, call: ast.Call) -> Fix | None:
    """Rewrite a call that takes sizes of a tensor as an operator on the tensor; None if there is none."""
    if not isinstance(call.func, ast.Attribute) or event.frame.functions is None:
        return None
    path = dotted(call.func)
    namespace = path is not None and (path[:-1] in _ARRAYS or path[0] == event.frame.functions)
    if (namespace and call.func.attr in _CREATIONS) or call.func.attr in _OTHERS:
        return {**_CREATIONS, **_OTHERS}[call.func.attr](event, call, namespace)
    return None


def numpy_positions(event: AttributeRead, call: ast.Call) -> Fix | None:
    """Write ``F.np.arange(x.shape[1])`` as ``F.npx.arange_like(x, axis=1)``."""
    functions = event.frame.functions
    if functions is None or dotted(call.func) != (functions, "np", "arange") or len(call.args) != 1 or call.keywords:
        return None
    size = parse(call.args[0])
    if size is None or size.plain is None:
        return None
    return rewrite(event.frame, call, _counting(event, f"{functions}.npx", size.plain), Applicability.SAFE)


def _counting(event: AttributeRead, namespace: str, axis: tuple[str, int], dtype: str = _DEFAULT) -> cst.BaseExpression:
    """Return the positions along an axis of a tensor, in a dtype.

    The operator counts in the dtype of its tensor, which is cast first: half precision counts exactly only to 2048.
    """
    tensor = cast(event, expression("{x}", x=axis[0]), dtype)
    return expression("{F}.arange_like({x}, axis={axis})", F=namespace, x=tensor, axis=axis[1])


def _filled(event: AttributeRead, call: ast.Call, _: bool) -> Fix | None:
    """Write ``F.zeros((x.shape[0], 3))`` as zeros_like of a tensor made in that shape."""
    assert isinstance(call.func, ast.Attribute)
    frame, functions, name = event.frame, event.frame.functions, call.func.attr
    given = {k.arg: k.value for k in call.keywords}
    values = list(call.args)
    shape = values.pop(0) if values else given.pop("shape", None)
    filler = None
    if name == "full":
        filler = values.pop(0) if values else given.pop("val", None)
    given.pop("ctx", None)
    dtype = requested_dtype(event, given.pop("dtype", None))
    if shape is None or values or given or dtype is None or (name == "full") != (filler is not None):
        return None
    sizes = parse_all(elements(shape))
    if sizes is None or functions is None:
        return None
    like = "ones_like" if filler is not None else lookup.like(name)
    made = expression("{F}.{like}({x})", F=functions, like=like, x=shaped(functions, sizes))
    new = cast(event, made, dtype)
    if filler is not None:
        new = expression("{ones} * {filler}", ones=new, filler=frame.concrete(filler))
    return rewrite(frame, call, new, Applicability.SAFE)


def requested_dtype(event: AttributeRead, given: ast.expr | None) -> str | None:
    """Return the dtype that a call names: OWN for ``x.dtype``, the default for none; None if it is unclear."""
    match given:
        case None:
            return _DEFAULT
        case ast.Constant(value=str() as dtype):
            return dtype
        case ast.Attribute(value=ast.Name(), attr="dtype") if isinstance(event.value, Tensor):
            return OWN
    return None


def cast(event: AttributeRead, tensor: cst.BaseExpression, dtype: str) -> cst.BaseExpression:
    """Return an expression of the tensor's dtype cast to another dtype; unchanged if that is the same."""
    known = isinstance(event.value, Tensor) and event.value.type.dtype == dtype
    if known or dtype == OWN:
        return tensor
    return expression("{x}.astype({dtype})", x=tensor, dtype=string(dtype))


def _data_and_rest(
    call: ast.Call, names: tuple[str, ...], namespace: bool
) -> tuple[ast.expr, list[ast.expr | None]] | None:
    """Return the tensor of a call, the receiver or the first argument, and its other arguments by `names`."""
    assert isinstance(call.func, ast.Attribute)
    values = list(call.args)
    given = {k.arg: k.value for k in call.keywords}
    data = (values.pop(0) if values else given.pop("data", None)) if namespace else call.func.value
    rest = [values.pop(0) if values else given.pop(name, None) for name in names]
    if data is None or values or given or any(isinstance(v, ast.Starred) for v in call.args):
        return None
    return data, rest


def _repeated(event: AttributeRead, call: ast.Call, namespace: bool) -> Fix | None:
    """Write ``F.repeat(y, repeats=x.shape[1], axis=k)`` with broadcast_like on a new axis, merged with axis `k`."""
    frame, functions = event.frame, event.frame.functions
    found = _data_and_rest(call, ("repeats", "axis"), namespace)
    if found is None or functions is None:
        return None
    data, (repeats, along) = found
    size = None if repeats is None else parse(repeats)
    axis = literal(along)
    if size is None or size.plain is None or (along is not None and (axis is None or axis < 0)):
        return None
    rows = frame.concrete(data)
    if axis is not None and _inserted(data) == axis:
        return rewrite(frame, call, _broadcast(functions, rows, {axis: size.plain}), Applicability.SAFE)
    codes = [*[0] * (axis or 0), -3, -2]
    if axis is None:
        # Without an axis, repeat flattens the tensor and repeats each element.
        rows, codes = expression("{F}.reshape({x}, (-1,))", F=functions, x=rows), [-1]
    place = (axis or 0) + 1
    inserted = expression("{F}.expand_dims({x}, axis={axis})", F=functions, x=rows, axis=place)
    spread = _broadcast(functions, inserted, {place: size.plain})
    new = expression("{F}.reshape({x}, ({codes},))", F=functions, x=spread, codes=codes)
    return rewrite(frame, call, new, Applicability.SAFE)


def _inserted(node: ast.expr) -> int | None:
    """Return the axis that an ``expand_dims`` call inserts; None for other expressions."""
    match node:
        case ast.Call(func=ast.Attribute(attr="expand_dims"), args=args, keywords=keywords):
            values = [*args, *(k.value for k in keywords)]
            return literal(values[-1]) if values else None
    return None


def _spread(event: AttributeRead, call: ast.Call, namespace: bool) -> Fix | None:
    """Write ``F.broadcast_axis(y, axis=1, size=x.shape[1])`` as broadcast_like `x` on axis 1."""
    frame = event.frame
    found = _data_and_rest(call, ("axis", "size"), namespace)
    if found is None or frame.functions is None:
        return None
    data, (axes, sizes) = found
    places = [literal(axis) for axis in elements(axes)] if axes is not None else []
    requested = [parse(size) for size in elements(sizes)] if sizes is not None else []
    pairs = {
        place: size.plain
        for place, size in zip(places, requested, strict=False)
        if place is not None and size is not None and size.plain is not None
    }
    if not pairs or len(pairs) != len(places) or len(places) != len(requested):
        return None
    return rewrite(frame, call, _broadcast(frame.functions, frame.concrete(data), pairs), Applicability.SAFE)


def _spread_to(event: AttributeRead, call: ast.Call, namespace: bool) -> Fix | None:
    """Write ``y.broadcast_to((x.shape[0], 3))`` as broadcast_like with a tensor of that shape."""
    frame, functions = event.frame, event.frame.functions
    found = _data_and_rest(call, ("shape",), namespace)
    if found is None or found[1][0] is None or functions is None:
        return None
    data, shape = found[0], found[1][0]
    along = _along_axes(frame, functions, data, elements(shape))
    if along is not None:
        return rewrite(frame, call, along, Applicability.SAFE)
    sizes = parse_all(elements(shape))
    if sizes is None:
        return None
    template = "{F}.broadcast_like({x}, {like})"
    new = expression(template, F=functions, x=frame.concrete(data), like=shaped(functions, sizes))
    return rewrite(frame, call, new, safe_if(namespace or has_rank(frame, data, len(sizes))))


def _along_axes(frame: Frame, functions: str, data: ast.expr, shape: list[ast.expr]) -> cst.BaseExpression | None:
    """Return ``y.broadcast_to((x.shape[0], 3))`` with each size of a tensor as broadcast_like on that axis.

    Other sizes stay with broadcast_to, whose code for an axis that keeps its size is 0. None if `y` may have fewer
    axes, or if a size is not that of one axis.
    """
    held = frame.seen.value(data)
    found = {place: parse(size) for place, size in enumerate(shape)}
    sizes = {place: size for place, size in found.items() if size is not None and size.axes}
    pairs = {place: size.plain for place, size in sizes.items() if size.plain is not None}
    if not pairs or len(pairs) != len(sizes) or not has_rank(frame, data, len(shape)) or not isinstance(held, Tensor):
        return None
    if any(found[place] is None and _reads_size(size) for place, size in enumerate(shape)):
        return None
    own = held.type.shape or ()
    others = [place for place in range(len(shape)) if place not in pairs and own[place] != literal(shape[place])]
    new = frame.concrete(data)
    if others:
        kept = [frame.concrete(shape[place]) if place in others else 0 for place in range(len(shape))]
        new = expression("{F}.broadcast_to({x}, shape=({kept},))", F=functions, x=new, kept=kept)
    return _broadcast(functions, new, pairs)


def _reads_size(node: ast.expr) -> bool:
    """Whether an expression reads a shape, in a way that `parse` does not know."""
    return any(isinstance(part, ast.Attribute) and part.attr == "shape" for part in walk(node))


def has_rank(frame: Frame, data: ast.expr, rank: int | None) -> bool:
    """Whether a tensor surely has this rank; only the method ``broadcast_to`` adds leading axes."""
    value = frame.seen.value(data)
    return isinstance(value, Tensor) and value.type.rank is not None and value.type.rank == rank


def _broadcast(functions: str, data: cst.BaseExpression, pairs: dict[int, tuple[str, int]]) -> cst.BaseExpression:
    """Return ``data`` broadcast with broadcast_like: `pairs` maps its axes to (tensor, axis)."""
    template = "{F}.broadcast_like({x}, {like}, lhs_axes=({own},), rhs_axes=({other},))"
    for tensor in dict.fromkeys(tensor for tensor, _ in pairs.values()):
        axes = {axis: place for axis, (name, place) in pairs.items() if name == tensor}
        data = expression(template, F=functions, x=data, like=tensor, own=[*axes], other=[*axes.values()])
    return data


def _resized(event: AttributeRead, call: ast.Call, _: bool) -> Fix | None:
    """Write ``F.contrib.BilinearResize2D(y, height=x.shape[2], width=x.shape[3])`` with ``mode="like"`` and `x`.

    Unsafe: on images of one pixel MXNet 1.9.1 gives different gradients in this mode.
    """
    frame = event.frame
    given = {k.arg: k.value for k in call.keywords}
    height, width = given.pop("height", None), given.pop("width", None)
    if len(call.args) != 1 or given or height is None or width is None:
        return None
    sizes = [parse(height), parse(width)]
    tensors = {size.plain[0] for size in sizes if size is not None and size.plain is not None}
    if len(tensors) != 1:
        return None
    tensor = tensors.pop()
    if sizes != [Size(1, ((tensor, 2),)), Size(1, ((tensor, 3),))]:
        return None
    template = '{function}({x}, {like}, mode="like")'
    new = expression(template, function=frame.concrete(call.func), x=frame.concrete(call.args[0]), like=tensor)
    return rewrite(frame, call, new, Applicability.UNSAFE)


def _positions(event: AttributeRead, call: ast.Call, _: bool) -> Fix | None:
    """Write ``F.arange(x.shape[1])`` as ``F.contrib.arange_like(x, axis=1)``, which has the dtype of `x`."""
    frame, functions = event.frame, event.frame.functions
    given = {k.arg: k.value for k in call.keywords if k.arg != "ctx"}
    dtype = requested_dtype(event, given.pop("dtype", None))
    match call.args:
        case [ast.Constant(value=0), stop] | [stop] if not given:
            size = parse(stop)
        case _:
            return None
    if size is None or dtype is None or functions is None or size.plain is None:
        return None
    new = _counting(event, f"{functions}.contrib", size.plain, dtype)
    open_shape = isinstance(event.value, Tensor) and event.value.type.shape is None
    return (with_broadcasting if open_shape else rewrite)(frame, call, new, Applicability.SAFE)


def _counted(event: AttributeRead, call: ast.Call, _: bool) -> Fix | None:
    """Write ``nd.array(range(x.shape[1]))`` as ``F.contrib.arange_like(x, axis=1)``."""
    functions = event.frame.functions
    match call:
        case ast.Call(args=[ast.Call(func=function, args=[size], keywords=[])], keywords=keywords):
            found = parse(size)
        case _:
            return None
    counts = dotted(function) in {("range",), ("np", "arange"), ("numpy", "arange")}
    if not counts or found is None or functions is None or any(k.arg != "ctx" for k in keywords):
        return None
    if found.plain is None:
        return None
    return rewrite(event.frame, call, _counting(event, f"{functions}.contrib", found.plain), Applicability.SAFE)


def _one_hot(event: AttributeRead, call: ast.Call, namespace: bool) -> Fix | None:
    """Write ``F.one_hot(rows, x.shape[1])`` as a comparison of `rows` with the positions along the axis of `x`.

    Safe for rows that an operator has counted: one_hot cuts off what follows the point of any others.
    """
    frame, functions = event.frame, event.frame.functions
    found = _data_and_rest(call, ("depth",), namespace)
    depth = None if found is None or found[1][0] is None else parse(found[1][0])
    if found is None or functions is None or depth is None or depth.plain is None:
        return None
    rows, held = frame.concrete(found[0]), frame.seen.value(found[0])
    if not isinstance(held, Tensor) or held.type.dtype != _DEFAULT:
        rows = expression("{x}.astype({dtype})", x=rows, dtype=string(_DEFAULT))
    positions = _counting(event, f"{functions}.contrib", depth.plain)
    template = "{F}.broadcast_equal({F}.expand_dims({rows}, axis=-1), {positions})"
    new = expression(template, F=functions, rows=rows, positions=positions)
    return rewrite(frame, call, new, safe_if(counts(found[0])))


def _first_states(event: AttributeRead, call: ast.Call, _: bool) -> Fix | None:
    """Write ``c.begin_state(x.shape[0])`` as ``c.begin_state(func=F.zeros)`` at the trace.

    The graph infers the batch size. The eager run does not change.
    """
    frame = event.frame
    found = ndarray_module(frame)
    given = {k.arg for k in call.keywords}
    if found is None or frame.functions is None or frame.mode != "legacy":
        return None
    if len(call.args) + len(call.keywords) != 1 or not given <= {"batch_size"}:
        return None
    module, imported = found
    template = "{states} if {F} is {module} else {begin}(func={F}.zeros)"
    states, begin = frame.concrete(call), frame.concrete(call.func)
    new = expression(template, states=states, F=frame.functions, module=module, begin=begin)
    return rewrite(frame, call, new, Applicability.SAFE, imports=imported)


def _sliced(event: AttributeRead, call: ast.Call, namespace: bool) -> Fix | None:
    """Write ``F.slice(x, ..., end=y.shape[1])`` (or slice_axis) as ``F.slice_like``. `namespace`: called through F."""
    assert isinstance(call.func, ast.Attribute)
    axis_alone = call.func.attr == "slice_axis"
    names = ("axis", "begin", "end") if axis_alone else ("begin", "end")
    found = _data_and_rest(call, names, namespace)
    if found is None or any(part is None for part in found[1]):
        return None
    data, parts = found[0], [part for part in found[1] if part is not None]
    if axis_alone:
        axis = literal(parts[0])
        bounds = {axis: (parts[1], parts[2])} if axis is not None and axis >= 0 else {}
    else:
        bounds = dict(enumerate(zip(elements(parts[0]), elements(parts[1]), strict=False)))
    return cropped(event.frame, call, data, bounds)


_Rewrite = Callable[[AttributeRead, ast.Call, bool], Fix | None]

#: Functions of a namespace -> their fixers.
_CREATIONS: dict[str, _Rewrite] = {
    "zeros": _filled,
    "ones": _filled,
    "full": _filled,
    "arange": _positions,
    "array": _counted,
}
#: Functions and methods -> their fixers.
_OTHERS: dict[str, _Rewrite] = {
    "one_hot": _one_hot,
    "repeat": _repeated,
    "broadcast_axis": _spread,
    "broadcast_axes": _spread,
    "broadcast_to": _spread_to,
    "BilinearResize2D": _resized,
    "begin_state": _first_states,
    "slice": _sliced,
    "slice_axis": _sliced,
}
