"""Fixers of random numbers in a shape read from tensors: they call a function that takes a tensor."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import AttributeRead, CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.carried_dtypes import meets_dtype
from hybridlint.fixers.evidence.settings import with_settings
from hybridlint.fixers.evidence.sizes.shape_guesses import keeps_shape
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.sizes import Size, axes_in_order, elements, parse_all
from hybridlint.fixers.toolkit.arguments import by_name
from hybridlint.fixers.toolkit.names import ARRAYS, dotted_parts, parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup, surface
from hybridlint.text import cst
from hybridlint.text.edits import Fix
from hybridlint.text.syntax import walk

#: What the names of operators begin with that draw by numbers.
_DRAWS = "_random_"
#: The function that draws from the normal distribution and takes the sizes one by one.
_SIZED = "randn"


def sample_like(event: AttributeRead, call: ast.Call) -> Fix | None:
    """Write ``F.random.normal(0, 1, shape=x.shape)`` as ``F.random.normal_like(x, loc=0, scale=1)``.

    A 1 among the sizes of a tensor is a part of it: ``(b, 1, h, w)`` is drawn like the first channel. For a shape that
    only partly comes from a tensor, the numbers are drawn like the tensor that they are added to or multiplied with, if
    nothing that is known of its sizes speaks against that.
    """
    frame, functions = event.frame, event.frame.functions
    drawn = None if functions is None else _drawn(functions, call.func)
    if functions is None or drawn is None:
        return None
    distribution, settings = drawn
    operator = lookup.function(("random",), f"{distribution}_like")
    given = {keyword.arg or "": keyword.value for keyword in call.keywords}
    given.pop("ctx", None)
    names = [*settings, "shape"]
    if _takes_sizes(call):
        shape = _sizes_given(call)
    else:
        given = {**dict(zip(names, call.args, strict=False)), **given}
        shape = given.pop("shape", None)
    # The operator of the exponential distribution takes the rate, and the function the scale.
    if operator is None or shape is None or (len(call.args) > len(names) and not _takes_sizes(call)):
        return None
    whole = _whole(event, shape)
    name = whole or _beside(frame, call, elements(shape))
    like = _part(event, shape, functions) if name is None else expression("{x}", x=name)
    if like is None or not given.keys() <= operator.params.keys():
        return None
    sure = whole is not None and isinstance(event.value, Tensor) and _is_single(frame, call, event.value, whole)
    parts = [by_name(name, frame.concrete(value)) for name, value in given.items()]
    new = expression("{F}.random.{name}({parts})", F=functions, name=f"{distribution}_like", parts=[like, *parts])
    return rewrite(frame, call, new, safe_if(sure))


def _takes_sizes(call: ast.Call) -> bool:
    """Return whether a call draws as many numbers as its arguments say: ``F.random.randn(2, 3)``."""
    return (dotted_parts(call.func) or ("",))[-1] == _SIZED


def _sizes_given(call: ast.Call) -> ast.expr | None:
    """Return the shape that ``randn(*x.shape)`` or ``randn(n, 3)`` draws in."""
    match call.args:
        case [ast.Starred(value=shape)]:
            return shape
        case [*sizes] if sizes and not any(isinstance(size, ast.Starred) for size in sizes):
            return ast.Tuple(sizes, ast.Load())
    return None


def _drawn(functions: str, function: ast.expr) -> tuple[str, tuple[str, ...]] | None:
    """Return the distribution that a function draws from and the names of its settings, in order.

    None for functions that draw nothing. ``F.random.normal``, ``F.random_normal`` and ``F.normal`` draw alike.
    """
    path = dotted_parts(function) or ("",)
    match path[:-1]:
        case (*space, "random") if tuple(space) in {(functions,), *ARRAYS}:
            name = "normal" if path[-1] == _SIZED else path[-1]
            settings = surface.DISTRIBUTIONS.get(name)
            return None if settings is None else (name, tuple(settings))
        case space if space in {(functions,), *ARRAYS}:
            operator = lookup.function((), path[-1])
            if operator is not None and operator.name.startswith(_DRAWS):
                names = [name for name in operator.params if name not in {"shape", "ctx", "dtype"}]
                return operator.name.removeprefix(_DRAWS), tuple(names)
    return None


def _is_single(frame: CodeContext, call: ast.Call, tensor: Tensor, name: str) -> bool:
    """Return whether a tensor surely is in single precision, as numbers drawn by their shape alone are."""
    if tensor.type.dtype is not None or tensor.mode == "np":
        return tensor.type.dtype == "float32"
    return not any(k.arg == "dtype" for k in call.keywords) and meets_dtype(frame, call, name)


def _whole(event: AttributeRead, shape: ast.expr) -> str | None:
    """Return the name of the tensor whose whole shape is meant."""
    match shape:
        case ast.Attribute(value=ast.Name(id=name), attr="shape"):
            return name
    sizes = parse_all(elements(shape))
    rank = event.value.type.rank if isinstance(event.value, Tensor) else None
    return axes_in_order(sizes) if sizes is not None and rank == len(sizes) else None


def _part(event: AttributeRead, shape: ast.expr, functions: str) -> cst.BaseExpression | None:
    """Return the part of a tensor whose sizes are meant: 1 or the tensor's own size along each axis."""
    sizes = parse_all(elements(shape))
    rank = event.value.type.rank if isinstance(event.value, Tensor) else None
    tensors = {tensor for size in sizes or () for tensor, _ in size.axes}
    if sizes is None or len(tensors) != 1 or rank not in {None, len(sizes)}:
        return None
    tensor = tensors.pop()
    singles = [axis for axis, size in enumerate(sizes) if size == Size(1)]
    if any(size.plain != (tensor, axis) for axis, size in enumerate(sizes) if axis not in singles):
        return None
    if not singles:
        # A tensor of unknown rank may have more axes than those that are named.
        return None
    if len(singles) == 1:
        return expression("{F}.slice_axis({x}, axis={axis}, begin=0, end=1)", F=functions, x=tensor, axis=singles[0])
    places = range(max(singles) + 1)
    begin, end = (
        expression("({bounds},)", bounds=[expression(bound if axis in singles else "None") for axis in places])
        for bound in ("0", "1")
    )
    return expression("{F}.slice({x}, begin={begin}, end={end})", F=functions, x=tensor, begin=begin, end=end)


def _beside(frame: CodeContext, call: ast.Call, wanted: Sequence[ast.expr]) -> str | None:
    """Return the name of a tensor that the random numbers are an operand beside, and that is known above them.

    Nothing is returned where its sizes may not be those that are `wanted`: either one could broadcast to the other.
    """
    statement, function = frame.statement, frame.function
    if statement is None or function is None:
        return None
    drawn = with_settings(frame, call)
    other = _operand(frame, drawn, statement)
    if other is None:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is drawn:
                uses = [n for n in walk(function) if isinstance(n, ast.Name) and n.id == name]
                other = _operand(frame, uses[1], function) if len(uses) == 2 else None
    root = None if other is None else _root(frame, other)
    if root is None or not _may_have(frame.seen.value(root), wanted):
        return None
    return root.id if all(bound.row < statement.lineno for bound in frame.flow.rebindings_of(root.id)) else None


def _may_have(tensor: object, sizes: Sequence[ast.expr]) -> bool:
    """Return whether a tensor may have these sizes. One that is 1 must be known, as it is where shapes broadcast."""
    shape = tensor.type.shape if isinstance(tensor, Tensor) else None
    numbers = [literal(size) for size in sizes]
    if shape is None:
        return 1 not in numbers
    if len(shape) != len(sizes):
        return False
    return all(
        dim == number if 1 in (dim, number) else number is None or not isinstance(dim, int) or dim == number
        for dim, number in zip(shape, numbers, strict=True)
    )


def _operand(frame: CodeContext, node: ast.expr, within: ast.AST) -> ast.expr | None:
    """Return the other operand of an operator of two tensors beside an expression."""
    parent = parent_of(frame, node, within)
    match parent:
        case ast.BinOp(left=left, right=right):
            return right if left is node else left
        case ast.Call(func=ast.Attribute(attr=name), args=[left, right]) if lookup.symbol_of(name) is not None:
            return right if left is node else left
    return None


def _root(frame: CodeContext, node: ast.expr) -> ast.Name | None:
    """Return the name of the tensor that an expression has the shape of: `x` in ``F.exp(0.5 * x)``."""
    match node:
        case ast.Name() if isinstance(frame.seen.value(node), Tensor):
            return node
        case ast.BinOp(left=left, right=ast.Constant()):
            return _root(frame, left)
        case ast.BinOp(left=ast.Constant(), right=right):
            return _root(frame, right)
        case ast.UnaryOp(operand=inner):
            return _root(frame, inner)
        case ast.Call(func=ast.Attribute(value=receiver, attr=name), args=args) if keeps_shape(name):
            own = dotted_parts(receiver) == (frame.functions,)
            return _root(frame, args[0] if own and args else receiver)
    return None
