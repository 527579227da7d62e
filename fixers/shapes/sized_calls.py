"""Fixers of calls with sizes of a tensor as arguments: operators that take the tensor itself."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import NumpyArray, StaticValue, Tensor
from hybridlint.fixers.evidence.carried_dtypes import meets_dtype
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.indexing.bounds import counted_from_end, counts_up
from hybridlint.fixers.indexing.crops import Bounds, crop_like
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.indexing.subscripts import counts
from hybridlint.fixers.shapes.broadcast_sizes import repeat_like, spread_axis, spread_to, tile_like
from hybridlint.fixers.shapes.like_operators import like_tensor
from hybridlint.fixers.shapes.positions import counting, positions, positions_of_array, space_positions
from hybridlint.fixers.shapes.requested_dtypes import DEFAULT, OWN, cast, requested_dtype, tensor_of_dtype
from hybridlint.fixers.shapes.scales import own_scales
from hybridlint.fixers.shapes.sized_call_rules import SizeRead, declared_fixer, rewrites
from hybridlint.fixers.shapes.sizes import Size, broadcast_along, elements, parse, parse_filled, shaped_tensor, vector
from hybridlint.fixers.toolkit.arguments import by_name, data_and_rest, filling, with_or_without
from hybridlint.fixers.toolkit.imports import ndarray_module
from hybridlint.fixers.toolkit.names import ARRAYS, dotted_parts
from hybridlint.fixers.toolkit.nodes import string
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import replace
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix


def with_tensor(event: SizeRead, call: ast.Call) -> Fix | None:
    """Rewrite a call that takes sizes of a tensor as an operator on the tensor; None if there is none."""
    if not isinstance(call.func, ast.Attribute) or event.frame.functions is None:
        return None
    path = dotted_parts(call.func)
    namespace = path is not None and (path[:-1] in ARRAYS or path[0] == event.frame.functions)
    if not namespace and isinstance(event.frame.seen.value(call.func.value), NumpyArray | StaticValue):
        # A method of an array of numpy, which has methods of the same names.
        return None
    rewriting = declared_fixer(_FIXERS, call.func.attr, namespace=namespace)
    like = None if rewriting is None else like_tensor(event.frame, call)
    if rewriting is None or like is not None:
        return like
    made, guessed = rewriting(event, call, namespace), like_tensor(event.frame, call, guess=True)
    safe = made is not None and made.applicability is Applicability.SAFE
    return made if guessed is None else replace(guessed, safer=made if safe else None)


@rewrites("zeros", "ones", "full", methods=False)
def _filled(event: SizeRead, call: ast.Call, _: bool) -> Fix | None:
    """Write ``F.zeros((x.shape[0], 3))`` as zeros_like of a tensor made in that shape."""
    assert isinstance(call.func, ast.Attribute)
    frame, functions, name = event.frame, event.frame.functions, call.func.attr
    found = filling(call, name)
    if found is None:
        return None
    shape, filler = found.shape, found.filler
    dtype = requested_dtype(event, found.rest.get("dtype"))
    if dtype is None or not found.rest.keys() <= {"ctx", "dtype"}:
        return None
    counted = {size.id for size in elements(shape) if isinstance(size, ast.Name) and counts_up(frame, size)}
    sizes = parse_filled(elements(shape), counted)
    if sizes is None or functions is None:
        return None
    if dtype != OWN and not any(k.arg == "ctx" for k in call.keywords) and all(map(_is_one_axis, sizes)):
        return rewrite(frame, call, _spread_out(event, call, shape, sizes), Applicability.SAFE)
    like = "ones_like" if filler is not None else lookup.like(name)
    own = tensor_of_dtype(call)
    made = expression("{F}.{like}({x})", F=functions, like=like, x=shaped_tensor(functions, sizes, own=own or ""))
    new = cast(event, made, dtype)
    if filler is not None:
        new = expression("{ones} * {filler}", ones=new, filler=frame.concrete(filler))
    return rewrite(frame, call, new, safe_if(own is None or any(t == own for size in sizes for t, _ in size.axes)))


def _is_one_axis(size: Size) -> bool:
    """Whether a size is the size of one axis, or has no axis in it."""
    return size.plain is not None or not size.axes


def _spread_out(event: SizeRead, call: ast.Call, shape: ast.expr, sizes: Sequence[Size]) -> cst.BaseExpression:
    """Return a call that creates a tensor with 1 for each size of a tensor, broadcast to these sizes."""
    numbers = [1 if size.axes else size.setting or size.number for size in sizes]
    functions, pairs = event.frame.functions or "", {k: s.plain for k, s in enumerate(sizes) if s.plain is not None}
    assert isinstance(call.func, ast.Attribute)
    made = expression("{F}.{name}", F=functions, name=call.func.attr)
    one = concrete_with(event.frame, call, {call.func: made, shape: expression("({numbers},)", numbers=numbers)})
    return broadcast_along(functions, one, pairs)


@rewrites("Embedding", methods=False)
def _looked_up(event: SizeRead, call: ast.Call, _: bool) -> Fix | None:
    """Write ``F.Embedding(i, w, input_dim=n, output_dim=x.shape[-1])`` as ``F.take(w, i)``, which needs no sizes."""
    given = dict(zip(("data", "weight", "input_dim", "output_dim"), call.args, strict=False))
    given |= {keyword.arg or "": keyword.value for keyword in call.keywords}
    if not {"data", "weight"} <= given.keys() <= {"data", "weight", "input_dim", "output_dim"}:
        return None
    parts = {name: event.frame.concrete(given[name]) for name in ("data", "weight")}
    new = expression("{F}.take({weight}, {data})", F=event.frame.functions, **parts)
    return rewrite(event.frame, call, new, Applicability.SAFE)


@rewrites("BilinearResize2D")
def _resized(event: SizeRead, call: ast.Call, _: bool) -> Fix | None:
    """Write ``F.contrib.BilinearResize2D(y, height=x.shape[2], width=x.shape[3])`` with ``mode="like"`` and `x`.

    Multiples of the image's own sizes become scales. Measured on MXNet 1.9.1: the numbers and the gradients of `y` are
    the same in these modes, but if `y` has the sizes of `x` already, the gradient of `x` is whatever the memory holds.
    So `x` is given behind ``F.BlockGrad``.
    """
    frame = event.frame
    given = {k.arg: k.value for k in call.keywords}
    height, width = given.pop("height", None), given.pop("width", None)
    if len(call.args) != 1 or given or height is None or width is None:
        return None
    scales = own_scales(frame, call.args[0], height, width)
    if scales is not None:
        template = "{function}({x}, scale_height={height}, scale_width={width})"
        function, x = frame.concrete(call.func), frame.concrete(call.args[0])
        new = expression(template, function=function, x=x, height=scales[0], width=scales[1])
        return rewrite(frame, call, new, Applicability.SAFE)
    sizes = [parse(height), parse(width)]
    tensors = {size.plain[0] for size in sizes if size is not None and size.plain is not None}
    if len(tensors) != 1:
        return None
    tensor = tensors.pop()
    # Images have four axes, so that the last two are the third and the fourth.
    if [size.plain for size in sizes if size is not None] not in (
        [(tensor, 2), (tensor, 3)],
        [(tensor, -2), (tensor, -1)],
    ):
        return None
    template = '{function}({x}, {F}.BlockGrad({like}), mode="like")'
    function, x = frame.concrete(call.func), frame.concrete(call.args[0])
    new = expression(template, function=function, x=x, F=frame.functions, like=tensor)
    return rewrite(frame, call, new, Applicability.SAFE)


@rewrites("Pooling")
def _pooled(event: SizeRead, call: ast.Call, namespace: bool) -> Fix | None:
    """Write ``F.Pooling(x, kernel=x.shape[2:], pool_type="avg")`` with ``global_pool=True``.

    A stride goes: one window covers the whole image.
    """
    frame = event.frame
    given = {k.arg: k.value for k in call.keywords}
    data, kernel = given.get("data", call.args[0] if call.args else None), given.get("kernel")
    if not namespace or not isinstance(data, ast.Name) or kernel is None or len(call.args) > 1:
        return None
    if given.keys() - {"data", "kernel", "stride", "pool_type", "name"} or not _is_whole_image(kernel, data.id):
        return None
    whole = by_name("global_pool", expression("True"))
    changed: dict[ast.expr | ast.keyword, cst.Arg | None] = {
        k: whole if k.arg == "kernel" else None for k in call.keywords if k.arg in {"kernel", "stride"}
    }
    return rewrite(frame, call, with_or_without(frame, call, changed), Applicability.SAFE)


def _is_whole_image(kernel: ast.expr, data: str) -> bool:
    """Whether a kernel has the sizes of all axes of a tensor from the third on, as for images."""
    match kernel:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=ast.Slice() as key):
            return name == data and literal(key.lower) == 2 and key.upper is None and key.step is None
        case ast.Tuple(elts=sizes):
            return [parse(size) for size in sizes] == [Size(1, ((data, axis),)) for axis in range(2, 2 + len(sizes))]
    return False


@rewrites("eye", methods=False)
def _unit_matrix(event: SizeRead, call: ast.Call, _: bool) -> Fix | None:
    """Replace ``F.eye(x.shape[0])`` by a diagonal of ones with the length of the axis, or a multiple of it."""
    functions = event.frame.functions
    sizes = [parse(size) for size in (*call.args, *(k.value for k in call.keywords if k.arg in {"N", "M"}))]
    other = any(k.arg not in {"N", "M", "ctx"} for k in call.keywords) or len(sizes) > 2
    size = sizes[0] if sizes and sizes[0] == sizes[-1] and not other else None
    if size is None or not size.axes or size.divisor > 1 or functions is None:
        return None
    row = counting(event, f"{functions}.contrib", size.plain, made=call) if size.plain else vector(functions, size)
    ones = expression("{F}.ones_like({row})", F=functions, row=row)
    if not size.plain and not all(meets_dtype(event.frame, call, tensor) for tensor, _ in size.axes):
        ones = cast(event, ones, DEFAULT)
    return rewrite(event.frame, call, expression("{F}.diag({ones})", F=functions, ones=ones), Applicability.SAFE)


@rewrites("one_hot")
def _one_hot(event: SizeRead, call: ast.Call, namespace: bool) -> Fix | None:
    """Write ``F.one_hot(rows, x.shape[1])`` as a comparison of `rows` with the positions along the axis of `x`.

    Safe for rows that an operator has counted: one_hot cuts off what follows the point of any others.
    """
    frame, functions = event.frame, event.frame.functions
    found = data_and_rest(call, ("depth",), namespace)
    depth = None if found is None or found[1][0] is None else parse(found[1][0])
    if found is None or functions is None or depth is None or depth.plain is None:
        return None
    rows, held = frame.concrete(found[0]), frame.seen.value(found[0])
    if not isinstance(held, Tensor) or held.type.dtype != DEFAULT:
        rows = expression("{x}.astype({dtype})", x=rows, dtype=string(DEFAULT))
    at = counting(event, f"{functions}.contrib", depth.plain)
    template = "{F}.broadcast_equal({F}.expand_dims({rows}, axis=-1), {at})"
    new = expression(template, F=functions, rows=rows, at=at)
    return rewrite(frame, call, new, safe_if(counts(found[0])))


@rewrites("begin_state")
def _first_states(event: SizeRead, call: ast.Call, _: bool) -> Fix | None:
    """Write ``c.begin_state(x.shape[0])`` as ``c.begin_state(func=F.zeros)`` at the trace.

    The graph infers the batch size, and runs where its inputs are. The eager run does not change. The call may have
    ``func=F.zeros`` already.
    """
    frame = event.frame
    found = ndarray_module(frame)
    given = {k.arg: k.value for k in call.keywords}
    if found is None or frame.functions is None or frame.mode != "legacy":
        return None
    made = given.pop("func", None)
    if made is not None and dotted_parts(made) != (frame.functions, "zeros"):
        return None
    given.pop("ctx", None)
    if len(call.args) + len(given) != 1 or not given.keys() <= {"batch_size"}:
        return None
    module, imported = found
    template = "{states} if {F} is {module} else {begin}(func={F}.zeros)"
    states, begin = frame.concrete(call), frame.concrete(call.func)
    new = expression(template, states=states, F=frame.functions, module=module, begin=begin)
    return rewrite(frame, call, new, Applicability.SAFE, imports=imported)


@rewrites("slice", "slice_axis")
def _sliced(event: SizeRead, call: ast.Call, namespace: bool) -> Fix | None:
    """Write ``F.slice(x, ..., end=y.shape[1])`` (or slice_axis) as ``F.slice_like``. `namespace`: called through F."""
    assert isinstance(call.func, ast.Attribute)
    axis_alone = call.func.attr == "slice_axis"
    names = ("axis", "begin", "end") if axis_alone else ("begin", "end")
    found = data_and_rest(call, names, namespace)
    if found is None or any(part is None for part in found[1]):
        return None
    data, parts = found[0], [part for part in found[1] if part is not None]
    if axis_alone:
        axis = literal(parts[0])
        bounds = {} if axis is None else {axis: (parts[1], parts[2])}
    else:
        bounds = dict(enumerate(zip(elements(parts[0]), elements(parts[1]), strict=False)))
    like = None if any(axis < 0 for axis in bounds) else crop_like(event.frame, call, data, bounds)
    return like or _ended(event.frame, call, data, bounds)


def _ended(frame: CodeContext, call: ast.Call, data: ast.expr, bounds: Mapping[int, Bounds]) -> Fix | None:
    """Write ``end=x.shape[1] - k`` of a part of `x` as ``end=-k``, and ``end=x.shape[1]`` as ``end=None``."""
    nodes = [(axis, bound) for axis, pair in bounds.items() for bound in pair if bound is not None]
    sized = [(axis, bound) for axis, bound in nodes if SizeInference(frame).reads_tensor(bound)]
    ends = {bound: counted_from_end(frame, data, axis, bound) for axis, bound in sized}
    # A part that begins at the size of its axis is empty, which nobody means: the size is another one then.
    begins = {pair[0] for pair in bounds.values()}
    found = {
        bound: end for bound, end in ends.items() if end is not None and not (bound in begins and _is_none(end.new))
    }
    if not found or len(found) < len(sized):
        return None
    new = concrete_with(frame, call, {bound: end.new for bound, end in found.items()})
    return rewrite(frame, call, new, safe_if(all(end.sure for end in found.values())))


_FIXERS = (
    *(_filled, positions, positions_of_array, space_positions, _unit_matrix, _one_hot),
    *(_resized, _looked_up, _pooled, _first_states, _sliced),
    *(repeat_like, tile_like, spread_axis, spread_to),
)


def _is_none(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "None"
