"""Fixers of reshapes to sizes read from tensors: the codes of reshape (0, -1 etc.), and reshape_like."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridlint.analysis.model.events import AttributeRead, CodeContext, MethodCall
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.aliases import part_changes
from hybridlint.fixers.evidence.sizes.leading_axes import leads
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.inserted_axes import inserted_axis
from hybridlint.fixers.shapes.sizes import axes_in_order, parse, parse_all, reads_shape, shaped_tensor, vector
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import replace
from hybridlint.text import cst
from hybridlint.text.concrete import code
from hybridlint.text.edits import Applicability, Fix, FixKind

if TYPE_CHECKING:
    from hybridlint.fixers.toolkit.templates import Single


def tuple_argument(event: MethodCall) -> Fix | None:
    """Write ``x.reshape(2, 3)`` as ``x.reshape((2, 3))``."""
    node = event.node
    if not isinstance(node, ast.Call) or any(isinstance(a, ast.Starred) for a in node.args):
        return None
    new = _with_tuple(event.frame, node, node.args, [event.frame.concrete(size) for size in node.args])
    fix = rewrite(event.frame, node, new, Applicability.SAFE, message="Write the sizes as a tuple")
    return None if fix is None else replace(fix, kind=FixKind.PART)


def reshape(event: AttributeRead, call: ast.Call, node: ast.Attribute) -> Fix | None:
    """Write ``x.reshape((x.shape[0], -1))`` as ``x.reshape((0, -1))``; ``F.reshape(x, shape=...)`` likewise.

    A reshape to sizes of another tensor becomes a reshape_like.
    """
    frame = event.frame
    found = _reshape_parts(frame, call)
    if found is None:
        return None
    data, shape = found
    without_sizes = _reshape_like(frame, call, data, node) if shape is node else inserted_axis(frame, call, data, shape)
    if without_sizes is not None:
        return without_sizes
    sizes = shape if isinstance(shape, list) else list(shape.elts) if isinstance(shape, ast.Tuple | ast.List) else None
    if sizes is None or (isinstance(shape, list) and any(isinstance(size, ast.Starred) for size in shape)):
        return None
    codes = None if ast.dump(data) != ast.dump(node.value) else reshape_codes(frame, data, sizes, event.value)
    if codes is None:
        return _permuted(event, call, data, sizes) or _reshape_to_sizes(frame, call, data, sizes)
    starred = any(isinstance(size, ast.Starred) for size in sizes)
    message = None if starred else f"Reshape to `{code(expression('({codes},)', codes=codes))}`"
    if isinstance(shape, list):
        return rewrite(frame, call, _with_tuple(frame, call, shape, codes), Applicability.SAFE, message=message)
    plain = (pair for pair in zip(sizes, codes, strict=True) if not isinstance(pair[0], ast.Starred))
    new = concrete_with(frame, shape, dict(plain))
    return rewrite(frame, shape, new, Applicability.SAFE, message=message)


def _with_tuple(frame: CodeContext, call: ast.Call, sizes: Sequence[ast.expr], written: Sequence[Single]) -> cst.Call:
    """Return the call with its last positional arguments, the sizes, as one tuple of the items `written`."""
    whole, made = frame.concrete(call), expression("({sizes},)", sizes=written)
    assert isinstance(whole, cst.Call)
    assert isinstance(made, cst.Tuple)
    begin, end, plain = call.args.index(sizes[0]), len(call.args), cst.SimpleWhitespace("")
    old, behind = whole.args[begin:end], whole.args[end:]
    elements = [e.with_changes(comma=arg.comma) for e, arg in zip(made.elements, old, strict=True)]
    last = cst.Arg(made, comma=old[-1].comma) if behind else cst.Arg(made)
    if behind:
        elements[-1] = elements[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    first = plain if begin else whole.whitespace_before_args
    opening = made.lpar[0].with_changes(whitespace_after=first)
    closing = made.rpar[0].with_changes(whitespace_before=old[-1].whitespace_after_arg)
    joined = last.with_changes(value=made.with_changes(elements=elements, lpar=[opening], rpar=[closing]))
    before = whole.whitespace_before_args if begin else plain
    return whole.with_changes(args=[*whole.args[:begin], joined, *behind], whitespace_before_args=before)


def _reshape_like(frame: CodeContext, call: ast.Call, data: ast.expr, node: ast.Attribute) -> Fix | None:
    """Write ``a.reshape(x.shape)`` as ``a.reshape_like(x)``; None if the memory that they share is changed."""
    if part_changes(frame, call):
        return None
    method = (dotted_parts(call.func) or ("",))[0] != frame.functions
    template = "{x}.reshape_like({like})" if method else "{F}.reshape_like({x}, {like})"
    new = expression(template, F=frame.functions, x=frame.concrete(data), like=frame.concrete(node.value))
    return rewrite(frame, call, new, Applicability.SAFE)


def _reshape_to_sizes(frame: CodeContext, call: ast.Call, data: ast.expr, shape: list[ast.expr]) -> Fix | None:
    """Write a reshape to sizes of other tensors with codes, or as reshape_like with a tensor of that shape."""
    if frame.functions is None or part_changes(frame, call):
        return None
    sizes = [_copied(data, place) if literal(size) == 0 else size for place, size in enumerate(shape)]
    new = _by_codes(frame, data, sizes) or _with_tail(frame, data, sizes)
    if new is not None:
        return rewrite(frame, call, new, Applicability.UNSAFE)
    found = parse_all(sizes)
    if found is None:
        return None
    tensor = axes_in_order(found)
    if tensor is None:
        template, like = "{F}.reshape_like({x}, {like})", shaped_tensor(frame.functions, found)
    else:
        template = "{F}.reshape_like({x}, {like}, lhs_begin=0, lhs_end=None, rhs_begin=0, rhs_end={count})"
        like = expression("{tensor}", tensor=tensor)
    new = expression(template, F=frame.functions, x=frame.concrete(data), like=like, count=len(found))
    return rewrite(frame, call, new, safe_if(all(size.divisor == 1 for size in found)))


def _copied(data: ast.expr, axis: int) -> ast.expr:
    """Return ``data.shape[axis]``, the size that code 0 represents at this place."""
    return ast.Subscript(ast.Attribute(data, "shape", ast.Load()), ast.Constant(axis), ast.Load())


def _by_codes(frame: CodeContext, data: ast.expr, sizes: list[ast.expr]) -> cst.BaseExpression | None:
    """Return a reshape with code 0 for each leading axis shared with a tensor, followed by numbers."""
    axes = [size.plain for node in sizes if (size := parse(node)) is not None and size.plain is not None]
    count = len(axes)
    tensors = {tensor for tensor, _ in axes}
    rest = [literal(node) for node in sizes[count:]]
    ordered = [axis for _, axis in axes] == list(range(count))
    if len(tensors) != 1 or not ordered or any(number is None for number in rest) or rest.count(-1) > 1:
        return None
    if any(number is not None and number < -1 for number in rest) or not leads(frame, data, tensors.pop(), count):
        return None
    template = "{F}.reshape({x}, ({codes},))"
    return expression(template, F=frame.functions, x=frame.concrete(data), codes=[*[0] * count, *rest])


def _with_tail(frame: CodeContext, data: ast.expr, sizes: list[ast.expr]) -> cst.BaseExpression | None:
    """Return a reshape to ``(x.shape[0], -1, x.shape[2] * x.shape[3])`` of data computed from `x` by a layer.

    reshape_like merges the last axes, and raises if their number of elements differs from that of `x`.
    """
    if len(sizes) != 3 or literal(sizes[1]) != -1:
        return None
    first, last = parse(sizes[0]), parse(sizes[2])
    if first is None or first.plain is None or last is None or last.number * last.divisor > 1 or len(last.axes) < 2:
        return None
    tensor, axis = first.plain
    behind = sorted(place for name, place in last.axes if name == tensor)
    if axis != 0 or behind != list(range(2, 2 + len(last.axes))) or not leads(frame, data, tensor, 1):
        return None
    template = "{F}.reshape_like({x}, {like}, lhs_begin=2, lhs_end=None, rhs_begin=0, rhs_end=1)"
    like = vector(frame.functions or "", last)
    return expression(template, F=frame.functions, x=frame.concrete(data), like=like)


def _permuted(event: AttributeRead, call: ast.Call, data: ast.expr, sizes: list[ast.expr]) -> Fix | None:
    """Write a reshape to the tensor's own sizes in another order as reshape_like with a transposed tensor."""
    assert isinstance(event.value, Tensor)
    rank = event.value.type.rank
    axes = [axis for size in sizes for axis in (_axes(data, size, rank) or (-1,))]
    if sorted(axes) != list(range(len(sizes))) or (rank is not None and rank != len(sizes)):
        return None
    functions, tensor = event.frame.functions, event.frame.concrete(data)
    if axes == [1, 0]:
        # The tensor may have further axes of size 1, which this reshape drops.
        like = expression("{F}.swapaxes({x}, 0, 1)", F=functions, x=tensor)
        template = "{F}.reshape_like({x}, {like}, lhs_begin=0, lhs_end=None, rhs_begin=0, rhs_end=2)"
        new = expression(template, F=functions, x=tensor, like=like)
        return rewrite(event.frame, call, new, Applicability.SAFE)
    template = "{F}.reshape_like({x}, {F}.transpose({x}, axes=({axes},)))"
    new = expression(template, F=functions, x=tensor, axes=axes)
    return rewrite(event.frame, call, new, safe_if(rank is not None))


def _reshape_parts(frame: CodeContext, call: ast.Call) -> tuple[ast.expr, ast.expr | list[ast.expr]] | None:
    """Return the data and the target shape of a reshape, as a method or a function."""
    if not isinstance(call.func, ast.Attribute) or lookup.of_tensors(call.func.attr) is not lookup.method("reshape"):
        return None
    if any(k.arg not in {"shape", "data"} for k in call.keywords):
        return None
    named = next((k.value for k in call.keywords if k.arg == "shape"), None)
    given = list(call.args)
    if isinstance(call.func.value, ast.Name) and call.func.value.id == frame.functions:
        data = given.pop(0) if given else next((k.value for k in call.keywords if k.arg == "data"), None)
    else:
        data = call.func.value
    if data is None or (named is None) == (not given):
        return None
    alone = len(given) == 1 and not isinstance(given[0], ast.Starred)
    return data, named if named is not None else given[0] if alone else given


def reshape_codes(
    frame: CodeContext, data: ast.expr, sizes: list[ast.expr], value: object
) -> list[cst.BaseExpression] | None:
    """Return the codes for sizes read from the data's own shape.

    None if two sizes would have to be inferred, or one beside a starred element, which represents any number of axes.
    """
    rank = value.type.rank if isinstance(value, Tensor) else None
    starred = any(isinstance(size, ast.Starred) for size in sizes)
    codes: list[int | cst.BaseExpression] = []
    place: int | None = 0
    for size in sizes:
        axes = _axes(data, size, rank)
        number = literal(size)
        if place is not None and axes == (place,):
            codes.append(0)
        elif place is not None and axes == (place, place + 1):
            codes.append(-3)
        elif number == 0:
            # Code 0 in the file copies the axis at its own place in the target.
            if place != len(codes):
                return None
            codes.append(0)
        elif number is not None and (number > 0 or number == -1):
            codes.append(number)
        elif reads_shape(size):
            if starred:
                return None
            codes.append(-1)
        else:
            codes.append(frame.concrete(size.value if isinstance(size, ast.Starred) else size))
        # MXNet counts one axis for a size that it infers.
        several = isinstance(size, ast.Starred) or (codes[-1] == -1 and axes is not None and len(axes) > 1)
        place = None if place is None or several else place + (len(axes) if axes else 1)
    return None if codes.count(-1) > 1 else [expression("{code}", code=code) for code in codes]


def _axes(data: ast.expr, size: ast.expr, rank: int | None) -> tuple[int, ...] | None:
    """Return the axes whose product is `size`: (0, 1) for ``x.shape[0] * x.shape[1]``; None for other expressions."""
    match size:
        case ast.Subscript(value=ast.Attribute(value=tensor, attr="shape"), slice=index):
            axis = literal(index)
            if axis is None or ast.dump(tensor) != ast.dump(data):
                return None
            if axis < 0:
                return None if rank is None else (axis + rank,)
            return (axis,)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            first, second = _axes(data, left, rank), _axes(data, right, rank)
            return None if first is None or second is None else (*first, *second)
    return None
