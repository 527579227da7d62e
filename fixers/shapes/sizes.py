"""Sizes of tensors computed in the graph as tensors, in place of the Python numbers of eager code."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import StaticValue, Tensor, Unknown
from hybridlint.fixers.arithmetic.python_operators import dtype_of
from hybridlint.fixers.evidence.carried_dtypes import meets_dtype, takes_dtype
from hybridlint.fixers.evidence.sizes.shape_guesses import root_of
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.names import dotted_parts, parent_of
from hybridlint.fixers.toolkit.nodes import binary
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.lookup import EXTREMES
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst
from hybridlint.text.syntax import walk

#: Operators on sizes that a graph computes with.
_OPERATORS = frozenset({ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Pow})

#: Functions that return the product of their arguments.
_PRODUCTS = frozenset({("np", "prod"), ("numpy", "prod"), ("math", "prod")})


@record(frozen=True, slots=True)
class Size:
    """A product of a number and of sizes of axes of named tensors, divided by a number."""

    number: int
    axes: tuple[tuple[str, int], ...] = ()
    divisor: int = 1
    #: The dotted name of a setting that the size is, with no axes.
    setting: str | None = None

    @property
    def plain(self) -> tuple[str, int] | None:
        """The tensor's name and the axis, if this is the size of one axis; None otherwise."""
        return self.axes[0] if len(self.axes) == 1 and self.number == self.divisor == 1 else None


def parse(node: ast.expr) -> Size | None:
    """Return the size in ``2 * x.shape[1]`` or ``len(x)``; None unless it is a product of positive numbers, sizes."""
    number = literal(node)
    if number is not None:
        return Size(number) if number > 0 else None
    match node:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=tensor), attr="shape"), slice=index):
            axis = literal(index)
            return None if axis is None else Size(1, ((tensor, axis),))
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=tensor)], keywords=[]):
            return Size(1, ((tensor, 0),))
        case ast.BinOp(left=left, op=ast.Mult() | ast.FloorDiv(), right=right):
            first, second = parse(left), parse(right)
            return None if first is None or second is None else _combined(first, second, isinstance(node.op, ast.Mult))
    return None


def _combined(first: Size, second: Size, multiplied: bool) -> Size | None:
    """Return `first` times `second`, or divided by it if not `multiplied`; None if that is no size."""
    if first.divisor * second.divisor > 1:
        return None
    if multiplied:
        return Size(first.number * second.number, first.axes + second.axes)
    return Size(first.number, first.axes, second.number) if first.axes and not second.axes else None


def parse_all(nodes: Sequence[ast.expr]) -> list[Size] | None:
    """Return the sizes in a shape; None if a size cannot be parsed, or no size belongs to a tensor."""
    found = [parse(node) for node in nodes]
    sizes = [size for size in found if size is not None]
    return sizes if len(sizes) == len(found) and any(size.axes for size in sizes) else None


def parse_filled(nodes: Sequence[ast.expr], numbers: Collection[str] = ()) -> list[Size] | None:
    """Return the sizes in a shape in which settings (``self.units``) may stand too, as `parse_all` does.

    `numbers` are names that hold numbers.
    """
    found = [parse(node) or _setting(node, numbers) for node in nodes]
    sizes = [size for size in found if size is not None]
    return sizes if len(sizes) == len(found) and any(size.axes for size in sizes) else None


def _setting(node: ast.expr, numbers: Collection[str]) -> Size | None:
    """Return the number in a shape that an attribute of the block or a name holds, else None."""
    path = dotted_parts(node) or ()
    known = (len(path) == 2 and path[0] == "self") or (len(path) == 1 and path[0] in numbers)
    return Size(1, setting=".".join(path)) if known else None


def reads_shape(node: ast.expr) -> bool:
    """Return whether an expression asks something for its sizes."""
    return any(isinstance(part, ast.Attribute) and part.attr in {"shape", "size", "ndim"} for part in walk(node))


def name_of(tensor: ast.AST | None) -> str | None:
    """Return the name of a tensor; None for other expressions, and for names with no place in the file."""
    return tensor.id if isinstance(tensor, ast.Name) and tensor.id.isidentifier() else None


def elements(shape: ast.expr) -> list[ast.expr]:
    """Return the sizes of a shape written as a tuple, a list or a single size.

    A tuple with a starred element, which has any number of sizes, is returned whole, as what is no size.
    """
    listed = isinstance(shape, ast.Tuple | ast.List) and not any(isinstance(e, ast.Starred) for e in shape.elts)
    return list(shape.elts) if isinstance(shape, ast.Tuple | ast.List) and listed else [shape]


def vector(functions: str, size: Size) -> cst.BaseExpression:
    """Return a tensor with one axis, whose length is `size`, and arbitrary values."""
    if len(size.axes) == 1:
        tensor, axis = size.axes[0]
        new = expression("{F}.contrib.arange_like({x}, axis={axis})", F=functions, x=tensor, axis=axis)
    else:
        whole = shaped_tensor(functions, [Size(1, (axis,)) for axis in size.axes])
        new = expression("{F}.reshape({x}, (-1,))", F=functions, x=whole)
    if size.number != 1:
        new = expression("{F}.repeat({x}, repeats={number})", F=functions, x=new, number=size.number)
    if size.divisor == 1:
        return new
    template = "{F}.reshape({F}.slice_axis({F}.reshape({x}, (-1, {number})), axis=1, begin=0, end=1), (-1,))"
    return expression(template, F=functions, x=new, number=size.divisor)


def shaped_tensor(functions: str, sizes: Sequence[Size], *, own: str = "") -> cst.BaseExpression:
    """Return a tensor of the given sizes with arbitrary values. At least one size must be read from a tensor.

    It has the dtype of the tensor `own` if a size is read from that, else of the first one.
    """
    if len(sizes) == 1:
        return vector(functions, sizes[0])
    sized = [place for place, size in enumerate(sizes) if size.axes]
    first = next((place for place in sized if any(tensor == own for tensor, _ in sizes[place].axes)), sized[0])
    codes = [-1 if axis == first else 1 for axis in range(len(sizes))]
    along = vector(functions, sizes[first])
    new: cst.BaseExpression = expression("{F}.reshape({x}, ({codes},))", F=functions, x=along, codes=codes)
    pairs = {k: plain for k in sized if k != first and (plain := sizes[k].plain) is not None}
    new = broadcast_along(functions, new, pairs)
    template = "{F}.broadcast_like({x}, {like}, lhs_axes=({axis},), rhs_axes=(0,))"
    for place in (k for k in sized if k != first and k not in pairs):
        new = expression(template, F=functions, x=new, like=vector(functions, sizes[place]), axis=place)
    numbers = [1 if size.axes else size.setting or size.number for size in sizes]
    if set(numbers) == {1}:
        return new
    return expression("{F}.tile({x}, reps=({numbers},))", F=functions, x=new, numbers=numbers)


def broadcast_along(functions: str, data: cst.BaseExpression, pairs: dict[int, tuple[str, int]]) -> cst.BaseExpression:
    """Return ``data`` broadcast with broadcast_like: `pairs` maps its axes to (tensor, axis)."""
    template = "{F}.broadcast_like({x}, {like}, lhs_axes=({own},), rhs_axes=({other},))"
    for tensor in dict.fromkeys(tensor for tensor, _ in pairs.values()):
        axes = {axis: place for axis, (name, place) in pairs.items() if name == tensor}
        data = expression(template, F=functions, x=data, like=tensor, own=[*axes], other=[*axes.values()])
    return data


def axes_in_order(sizes: Sequence[Size]) -> str | None:
    """Return the name of the tensor whose axes 0, 1, ... are these sizes; None if there is none."""
    tensors = {tensor for size in sizes for tensor, _ in size.axes}
    if len(tensors) != 1:
        return None
    tensor = tensors.pop()
    in_order = [Size(1, ((tensor, axis),)) for axis in range(len(sizes))]
    return tensor if list(sizes) == in_order else None


def of_axis(functions: str, tensor: str, axis: int, *, own: bool = False) -> cst.BaseExpression:
    """Return the size of an axis as a one-element tensor, in float32 or, with `own`, in the tensor's dtype."""
    if own:
        template = "{F}.sum({F}.ones_like({F}.contrib.arange_like({x}, axis={axis})))"
        return expression(template, F=functions, x=tensor, axis=axis)
    sizes = _sizes(functions, tensor, axis, axis + 1 if axis != -1 else None)
    return expression('{sizes}.astype("float32")', sizes=sizes)


def numpy_size(functions: str, tensor: str, axis: int) -> cst.BaseExpression:
    """Return the size of an axis as a tensor of integers in numpy mode.

    A Symbol of numpy mode takes no negative index; the last size is read by the slice ``[-1:]``, and has one element.
    """
    sizes = expression("{F}.npx.shape_array({x})", F=functions, x=tensor)
    return expression("{sizes}[{axis}:]" if axis == -1 else "{sizes}[{axis}]", sizes=sizes, axis=axis)


def _of_numpy_axis(functions: str, tensor: str, axis: int, *, own: bool) -> cst.BaseExpression | None:
    """Return the size of an axis in numpy mode, in float32 or, with `own`, in the tensor's dtype.

    None if no operator computes it.
    """
    if own:
        template = "{F}.np.sum({F}.np.ones_like({F}.npx.arange_like({x}, axis={axis})))"
        return expression(template, F=functions, x=tensor, axis=axis)
    return expression('{size}.astype("float32")', size=numpy_size(functions, tensor, axis)) if axis >= -1 else None


def of_elements(functions: str, tensor: str) -> cst.BaseExpression:
    """Return how many elements a tensor has, as a tensor of one element in single precision."""
    return expression('{F}.size_array({x}).astype("float32")', F=functions, x=tensor)


def own_elements(functions: str, tensor: str) -> cst.BaseExpression:
    """Return how many elements a tensor has, as a tensor of one element in the tensor's own dtype."""
    return expression("{F}.sum({F}.ones_like({x}))", F=functions, x=tensor)


def of_dimensions(functions: str, tensor: str) -> cst.BaseExpression:
    """Return how many dimensions a tensor has, as a tensor of one element in single precision."""
    return expression('{F}.size_array({F}.shape_array({x})).astype("float32")', F=functions, x=tensor)


def _sizes(functions: str, tensor: str, begin: int, end: int | None) -> cst.BaseExpression:
    """Return the sizes of the axes from `begin` to `end` as a tensor of integers."""
    template = "{F}.slice_axis({F}.shape_array({x}), axis=0, begin={begin}, end={end})"
    return expression(template, F=functions, x=tensor, begin=begin, end=end)


def beside_itself(frame: CodeContext, node: ast.expr, tensor: str) -> bool:
    """Whether the number `node` is combined with a value of only the named tensor, in its dtype."""
    other = _operand_beside(frame, node)
    return other is not None and tensor in {root_of(other), dtype_of(other)}


def in_its_dtype(frame: CodeContext, node: ast.expr, tensor: str) -> bool:
    """Whether `node`, a number, is combined with something that surely has the dtype of the named tensor."""
    other, whole = _operand_beside(frame, node), parent_of(frame, node)
    if other is None or not isinstance(whole, ast.BinOp):
        return False
    known = beside_itself(frame, node, tensor) or takes_dtype(frame, other, tensor)
    return known or meets_dtype(frame, whole, tensor)


def _operand_beside(frame: CodeContext, node: ast.expr) -> ast.expr | None:
    match parent_of(frame, node):
        case ast.BinOp(left=left, right=right):
            return right if left is node else left
    return None


def whole_number(frame: CodeContext, node: ast.expr) -> ast.expr:
    """Return the largest expression around a size that consists of sizes and numbers only."""
    inner = node
    while isinstance(parent := parent_of(frame, inner), ast.expr) and number(frame, parent) is not None:
        inner = parent
    return inner


def number(frame: CodeContext, node: ast.expr, *, own: bool = False) -> cst.BaseExpression | None:
    """Return arithmetic on sizes as a one-element tensor; numbers stay as they are. None for anything else.

    Sizes are in single precision, or with `own` in the dtype of their own tensor.
    """
    new: cst.BaseExpression | None = None
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            new = frame.concrete(node)
        case ast.Subscript() | ast.Call(func=ast.Name(id="len")):
            size = parse(node)
            known = None if size is None or frame.functions is None else size.axes[0]
            if known is not None and frame.functions is not None and frame.mode == "np":
                new = _of_numpy_axis(frame.functions, *known, own=own)
            elif known is not None and frame.functions is not None:
                new = of_axis(frame.functions, *known, own=own)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            new = frame.concrete(node)
        case ast.Attribute(value=ast.Name(id=tensor), attr="size" | "ndim") if _is_legacy(frame, node.value):
            new = count_of(frame, tensor, node.attr, own=own)
        case ast.Attribute(value=ast.Name(id="self")) if isinstance(frame.seen.value(node), StaticValue | Unknown):
            # Beside a size, an attribute of the block that is no tensor is a setting.
            new = frame.concrete(node)
        case ast.BinOp(left=size, op=ast.Sub(), right=ast.Constant(value=1)) if own and (last := _last(frame, size)):
            new = last
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            first, second = number(frame, left, own=own), number(frame, right, own=own)
            new = None if first is None or second is None else _computed(frame, first, op, second)
        case ast.Call(func=function, args=[ast.Subscript() as only]) if dotted_parts(function) in _PRODUCTS:
            new = _of_axes(frame, only)
        case ast.Call(func=ast.Name(id="max" | "min" as name), args=[left, right], keywords=[]):
            first, second = number(frame, left, own=own), number(frame, right, own=own)
            new = None if first is None or second is None else _extreme(frame, name, first, second)
        case ast.Call(func=function, args=[only], keywords=[]):
            inner = number(frame, only, own=own)
            new = None if inner is None else _function_of_size(frame, dotted_parts(function), inner)
    return new


def _is_legacy(frame: CodeContext, node: ast.expr) -> bool:
    held = frame.seen.value(node)
    return isinstance(held, Tensor) and held.mode == "legacy"


def count_of(frame: CodeContext, tensor: str, name: str, *, own: bool) -> cst.BaseExpression | None:
    """Return how many elements or dimensions a tensor has, as a tensor of one element."""
    if frame.functions is None:
        return None
    count = of_dimensions if name == "ndim" else own_elements if own else of_elements
    return count(frame.functions, tensor)


def _extreme(
    frame: CodeContext, name: str, left: cst.BaseExpression, right: cst.BaseExpression
) -> cst.BaseExpression | None:
    """Return the larger or the smaller of two sizes, as in ``max(w - 1, 1)``, by which positions are divided."""
    functions = frame.functions if frame.mode == "legacy" else f"{frame.functions}.np"
    if frame.functions is None:
        return None
    return expression("{F}.{name}({left}, {right})", F=functions, name=EXTREMES[name], left=left, right=right)


def _last(frame: CodeContext, node: ast.expr) -> cst.BaseExpression | None:
    """Return the last position along the axis whose size is read, as a tensor of one element; None for others."""
    size = parse(node)
    if size is None or size.plain is None or frame.functions is None:
        return None
    tensor, axis = size.plain
    functions, counter = (f"{frame.functions}.np", "npx") if frame.mode == "np" else (frame.functions, "contrib")
    template = "{F}.max({counter}.arange_like({x}, axis={axis}))"
    return expression(template, F=functions, counter=f"{frame.functions}.{counter}", x=tensor, axis=axis)


def _computed(
    frame: CodeContext, left: cst.BaseExpression, operator: ast.operator, right: cst.BaseExpression
) -> cst.BaseExpression:
    """Return arithmetic of sizes as tensors, which have no ``//`` before numpy mode: their quotient is rounded down."""
    if not isinstance(operator, ast.FloorDiv):
        return binary(left, operator, right)
    namespace = f"{frame.functions}.np" if frame.mode == "np" else frame.functions
    return expression("{F}.floor({quotient})", F=namespace, quotient=binary(left, ast.Div(), right))


def _of_axes(frame: CodeContext, node: ast.Subscript) -> cst.BaseExpression | None:
    """Return the product of the sizes that ``x.shape[1:]`` reads, as a tensor of one element."""
    match node:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=tensor), attr="shape"), slice=ast.Slice() as key):
            begin, end = literal(key.lower), literal(key.upper)
        case _:
            return None
    if key.step is not None or (key.lower is not None and begin is None) or (key.upper is not None and end is None):
        return None
    if frame.functions is None:
        return None
    sizes = _sizes(frame.functions, tensor, begin or 0, end)
    return expression('{F}.prod({sizes}.astype("float32"))', F=frame.functions, sizes=sizes)


def _function_of_size(
    frame: CodeContext, path: tuple[str, ...] | None, size: cst.BaseExpression
) -> cst.BaseExpression | None:
    match path:
        case ("math" | "np" | "numpy", "sqrt" | "log" | "exp" as name) if frame.functions is not None:
            namespace = f"{frame.functions}.np" if frame.mode == "np" else frame.functions
            return expression("{F}.{name}({size})", F=namespace, name=name, size=size)
        case ("float",):
            return size
    return None
