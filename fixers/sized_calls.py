"""Calls that get sizes of a tensor: as operators that get the tensor."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace as changed

from hybridlint.analysis.model.events import AttributeRead, Frame
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.broadcasting import with_broadcasting
from hybridlint.fixers.crops import cropped
from hybridlint.fixers.imports import ndarray_module
from hybridlint.fixers.keys import literal
from hybridlint.fixers.names import dotted, parent_of
from hybridlint.fixers.sizes import Size, elements, parse, parse_all, shaped
from hybridlint.fixers.text import argument, operand, replace, safe_if
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime import lookup
from hybridlint.text.edits import Applicability, Fix

_ARRAYS = frozenset({("nd",), ("mx", "nd"), ("mxnet", "nd")})


def with_tensor(event: AttributeRead, call: ast.Call) -> Fix | None:
    """Rewrite a call that gets sizes, as one that gets the tensor; None where no operator does the same."""
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
    tensor, axis = size.plain
    content = f"{functions}.npx.arange_like({tensor}{cast_to(event, None)}, axis={axis})"
    return replace(event.frame, call, content, Applicability.SAFE)


def _filled(event: AttributeRead, call: ast.Call, _: bool) -> Fix | None:
    """Write ``F.zeros((x.shape[0], 3))`` with zeros_like of a tensor of that shape."""
    assert isinstance(call.func, ast.Attribute)
    frame, functions, name = event.frame, event.frame.functions, call.func.attr
    given = {k.arg: k.value for k in call.keywords}
    values = list(call.args)
    shape = values.pop(0) if values else given.pop("shape", None)
    filler = None
    if name == "full":
        filler = values.pop(0) if values else given.pop("val", None)
    given.pop("ctx", None)
    dtype = cast_to(event, given.pop("dtype", None))
    if shape is None or values or given or dtype is None or (name == "full") != (filler is not None):
        return None
    sizes = parse_all(elements(shape))
    if sizes is None or functions is None:
        return None
    tensor = shaped(functions, sizes)
    if filler is None:
        content = f"{functions}.{lookup.like(name)}({tensor}){dtype}"
    else:
        content = f"({functions}.ones_like({tensor}){dtype} * {operand(frame, filler)})"
    kept = [] if filler is None else [filler]
    return replace(frame, call, content, Applicability.SAFE, kept=kept)


def cast_to(event: AttributeRead, given: ast.expr | None) -> str | None:
    """Return the cast, as text, to the dtype that was asked for, of what is made like a tensor; None where unclear.

    Positions are counted in the dtype of the tensor, which has to be cast first: half precision counts to 2048.
    """
    match given:
        case None:
            dtype = "float32"
        case ast.Constant(value=str() as dtype):
            pass
        case ast.Attribute(value=ast.Name(), attr="dtype"):
            return "" if isinstance(event.value, Tensor) else None
        case _:
            return None
    known = isinstance(event.value, Tensor) and event.value.type.dtype == dtype
    return "" if known else f'.astype("{dtype}")'


def _data_and_rest(
    call: ast.Call, names: tuple[str, ...], namespace: bool
) -> tuple[ast.expr, list[ast.expr | None]] | None:
    """Return the tensor of a method or function and its other arguments, in the order of `names`."""
    assert isinstance(call.func, ast.Attribute)
    values = list(call.args)
    given = {k.arg: k.value for k in call.keywords}
    data = (values.pop(0) if values else given.pop("data", None)) if namespace else call.func.value
    rest = [values.pop(0) if values else given.pop(name, None) for name in names]
    if data is None or values or given or any(isinstance(v, ast.Starred) for v in call.args):
        return None
    return data, rest


def _repeated(event: AttributeRead, call: ast.Call, namespace: bool) -> Fix | None:
    """Write ``F.repeat(y, repeats=x.shape[1], axis=k)`` as a new axis that is broadcast, and merged with the old."""
    frame, functions = event.frame, event.frame.functions
    found = _data_and_rest(call, ("repeats", "axis"), namespace)
    if found is None or functions is None:
        return None
    data, (repeats, along) = found
    size = None if repeats is None else parse(repeats)
    axis = literal(along)
    if size is None or size.plain is None or (along is not None and (axis is None or axis < 0)):
        return None
    if axis is not None and _inserted(data) == axis:
        content = _broadcast(functions or "", argument(frame, data), {axis: size})
        return None if content is None else replace(frame, call, content, Applicability.SAFE, kept=[data])
    rows, codes = argument(frame, data), ", ".join([*["0"] * (axis or 0), "-3", "-2"])
    if axis is None:
        # Without an axis all elements are repeated, one by one.
        rows, codes = f"{functions}.reshape({rows}, (-1,))", "-1,"
    place = (axis or 0) + 1
    new = f"{functions}.expand_dims({rows}, axis={place})"
    spread = _broadcast(functions or "", new, {place: size})
    return replace(frame, call, f"{functions}.reshape({spread}, ({codes}))", Applicability.SAFE, kept=[data])


def _inserted(node: ast.expr) -> int | None:
    """Return the axis that ``expand_dims`` has just put into a tensor."""
    match node:
        case ast.Call(func=ast.Attribute(attr="expand_dims"), args=args, keywords=keywords):
            values = [*args, *(k.value for k in keywords)]
            return literal(values[-1]) if values else None
    return None


def _spread(event: AttributeRead, call: ast.Call, namespace: bool) -> Fix | None:
    """Write ``F.broadcast_axis(y, axis=1, size=x.shape[1])`` with broadcast_like."""
    frame = event.frame
    found = _data_and_rest(call, ("axis", "size"), namespace)
    if found is None or frame.functions is None:
        return None
    data, (axes, sizes) = found
    places = [literal(axis) for axis in elements(axes)] if axes is not None else []
    wanted = [parse(size) for size in elements(sizes)] if sizes is not None else []
    pairs = {place: size for place, size in zip(places, wanted, strict=False) if place is not None and size is not None}
    if not pairs or len(pairs) != len(places) or len(places) != len(wanted):
        return None
    content = _broadcast(frame.functions, argument(frame, data), pairs)
    return None if content is None else replace(frame, call, content, Applicability.SAFE, kept=[data])


def _spread_to(event: AttributeRead, call: ast.Call, namespace: bool) -> Fix | None:
    """Write ``y.broadcast_to((x.shape[0], 3))`` with broadcast_like a tensor of that shape."""
    frame, functions = event.frame, event.frame.functions
    found = _data_and_rest(call, ("shape",), namespace)
    if found is None or found[1][0] is None or functions is None:
        return None
    data, shape = found[0], found[1][0]
    sizes = parse_all(elements(shape))
    if sizes is None:
        return None
    content = f"{functions}.broadcast_like({argument(frame, data)}, {shaped(functions, sizes)})"
    return replace(frame, call, content, safe_if(namespace or has_rank(frame, data, len(sizes))), kept=[data])


def has_rank(frame: Frame, data: ast.expr, rank: int | None) -> bool:
    """Whether a tensor surely has this rank: the method ``broadcast_to`` adds axes in front, no operator does."""
    value = frame.seen.value(data)
    return isinstance(value, Tensor) and value.type.rank is not None and value.type.rank == rank


def _broadcast(functions: str, data: str, pairs: dict[int, Size]) -> str | None:
    """Return an expression in which axes are broadcast to sizes, tensor by tensor."""
    places = {axis: size.plain for axis, size in pairs.items() if size.plain is not None}
    if len(places) != len(pairs):
        return None
    for tensor in dict.fromkeys(tensor for tensor, _ in places.values()):
        own = {axis: place for axis, (name, place) in places.items() if name == tensor}
        left, right = (f"({', '.join(map(str, axes))},)" for axes in (own.keys(), own.values()))
        data = f"{functions}.broadcast_like({data}, {tensor}, lhs_axes={left}, rhs_axes={right})"
    return data


def _resized(event: AttributeRead, call: ast.Call, _: bool) -> Fix | None:
    """Write ``F.contrib.BilinearResize2D(y, height=x.shape[2], width=x.shape[3])`` in the mode that takes a tensor.

    It is unsafe: on images of one pixel MXNet 1.9.1 gives other gradients in this mode.
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
    content = f'{frame.source.code(call.func)}({argument(frame, call.args[0])}, {tensor}, mode="like")'
    return replace(frame, call, content, Applicability.UNSAFE, kept=[call.args[0]])


def _positions(event: AttributeRead, call: ast.Call, _: bool) -> Fix | None:
    """Write ``F.arange(x.shape[1])`` as ``F.contrib.arange_like(x, axis=1)``, which has the dtype of `x`."""
    frame, functions = event.frame, event.frame.functions
    given = {k.arg: k.value for k in call.keywords if k.arg != "ctx"}
    dtype = cast_to(event, given.pop("dtype", None))
    match call.args:
        case [ast.Constant(value=0), stop] | [stop] if not given:
            size = parse(stop)
        case _:
            return None
    if size is None or dtype is None or functions is None or size.plain is None:
        return None
    tensor, axis = size.plain
    new = expression("{F}.contrib.arange_like({x}, axis={axis})", F=functions, x=expression(tensor + dtype), axis=axis)
    open_shape = isinstance(event.value, Tensor) and event.value.type.shape is None
    return (with_broadcasting if open_shape else rewrite)(frame, call, new, Applicability.SAFE)


def _counted(event: AttributeRead, call: ast.Call, _: bool) -> Fix | None:
    """Write ``nd.array(range(x.shape[1]))`` with arange_like."""
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
    tensor, axis = found.plain
    content = f"{functions}.contrib.arange_like({tensor}{cast_to(event, None)}, axis={axis})"
    return replace(event.frame, call, content, Applicability.SAFE)


def _first_states(event: AttributeRead, call: ast.Call, _: bool) -> Fix | None:
    """Make first states of a symbol's zeros, whose batch the graph finds, where ``begin_state`` gets the batch size.

    The eager run stays as it was.
    """
    frame = event.frame
    found = ndarray_module(frame)
    given = {k.arg for k in call.keywords}
    if found is None or frame.functions is None or frame.mode != "legacy":
        return None
    if len(call.args) + len(call.keywords) != 1 or not given <= {"batch_size"}:
        return None
    module, imported = found
    made = f"{frame.source.code(call.func)}(func={frame.functions}.zeros)"
    content = f"{frame.source.code(call)} if {frame.functions} is {module} else {made}"
    outer = parent_of(frame, call)
    text = content if isinstance(outer, ast.Assign | ast.Return) else f"({content})"
    fix = replace(frame, call, text, Applicability.SAFE, kept=[call])
    return None if fix is None else changed(fix, edits=(*imported, *fix.edits))


def _sliced(event: AttributeRead, call: ast.Call, namespace: bool) -> Fix | None:
    """Write ``F.slice(y, begin=(None, 0), end=(None, x.shape[1]))`` with slice_like, and so slice_axis."""
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

#: Functions of a namespace, and what rewrites them.
_CREATIONS: dict[str, _Rewrite] = {
    "zeros": _filled,
    "ones": _filled,
    "full": _filled,
    "arange": _positions,
    "array": _counted,
}
#: Functions and methods.
_OTHERS: dict[str, _Rewrite] = {
    "repeat": _repeated,
    "broadcast_axis": _spread,
    "broadcast_axes": _spread,
    "broadcast_to": _spread_to,
    "BilinearResize2D": _resized,
    "begin_state": _first_states,
    "slice": _sliced,
    "slice_axis": _sliced,
}
