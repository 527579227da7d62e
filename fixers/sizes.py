"""Sizes of tensors, as tensors: what an operator can take where eager code takes numbers that it has read."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from hybridlint.analysis.model.events import Frame
from hybridlint.fixers.arithmetic import dtype_of
from hybridlint.fixers.keys import literal
from hybridlint.fixers.names import dotted, parent_of
from hybridlint.fixers.shape_guesses import root_of

_SYMBOLS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}


#: Functions that multiply what they are given.
_PRODUCTS = frozenset({("np", "prod"), ("numpy", "prod"), ("math", "prod")})


@dataclass(frozen=True, slots=True)
class Size:
    """A product: a number times the sizes of axes, each of a tensor with a name, divided by a number."""

    number: int
    axes: tuple[tuple[str, int], ...] = ()
    divisor: int = 1

    @property
    def plain(self) -> tuple[str, int] | None:
        """The tensor and the axis, where it is the size of one axis as it is."""
        return self.axes[0] if len(self.axes) == 1 and self.number == self.divisor == 1 else None


def parse(node: ast.expr) -> Size | None:
    """Read ``2 * x.shape[1]`` and its kin; None for what is no product of positive numbers and sizes."""
    number = literal(node)
    if number is not None:
        return Size(number) if number > 0 else None
    match node:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=tensor), attr="shape"), slice=index):
            axis = literal(index)
            return None if axis is None else Size(1, ((tensor, axis),))
        case ast.BinOp(left=left, op=ast.Mult() | ast.FloorDiv(), right=right):
            first, second = parse(left), parse(right)
            return None if first is None or second is None else _combined(first, second, isinstance(node.op, ast.Mult))
    return None


def _combined(first: Size, second: Size, multiplied: bool) -> Size | None:
    """Return the product of two sizes, or the size of axes divided by a number."""
    if first.divisor * second.divisor > 1:
        return None
    if multiplied:
        return Size(first.number * second.number, first.axes + second.axes)
    return Size(first.number, first.axes, second.number) if first.axes and not second.axes else None


def parse_all(nodes: Sequence[ast.expr]) -> list[Size] | None:
    """Read all sizes of a shape; None where one is something else, or none is that of a tensor."""
    found = [parse(node) for node in nodes]
    sizes = [size for size in found if size is not None]
    return sizes if len(sizes) == len(found) and any(size.axes for size in sizes) else None


def elements(shape: ast.expr) -> list[ast.expr]:
    """Return the sizes of a shape that is written as a tuple, a list or one size."""
    return list(shape.elts) if isinstance(shape, ast.Tuple | ast.List) else [shape]


def vector(functions: str, size: Size) -> str:
    """Return a tensor of one axis of that size."""
    if len(size.axes) == 1:
        tensor, axis = size.axes[0]
        text = f"{functions}.contrib.arange_like({tensor}, axis={axis})"
    else:
        text = f"{functions}.reshape({shaped(functions, [Size(1, (axis,)) for axis in size.axes])}, (-1,))"
    text = text if size.number == 1 else f"{functions}.repeat({text}, repeats={size.number})"
    if size.divisor == 1:
        return text
    rows = f"{functions}.reshape({text}, (-1, {size.divisor}))"
    return f"{functions}.reshape({functions}.slice_axis({rows}, axis=1, begin=0, end=1), (-1,))"


def shaped(functions: str, sizes: Sequence[Size]) -> str:
    """Return a tensor of the given sizes, of which at least one is that of a tensor. Its values mean nothing."""
    if len(sizes) == 1:
        return vector(functions, sizes[0])
    several = len({tensor for size in sizes for tensor, _ in size.axes}) > 1
    cast = '.astype("float32")' if several else ""
    text = ""
    for place, size in enumerate(sizes):
        if not size.axes:
            continue
        codes = ", ".join("-1" if axis == place else "1" for axis in range(len(sizes)))
        part = f"{functions}.reshape({vector(functions, size)}{cast}, ({codes}))"
        text = f"{functions}.broadcast_mul({text}, {part})" if text else part
    numbers = [1 if size.axes else size.number for size in sizes]
    return text if set(numbers) == {1} else f"{functions}.tile({text}, reps=({', '.join(map(str, numbers))}))"


def axes_in_order(sizes: Sequence[Size]) -> str | None:
    """Return the tensor whose first axes these sizes are, one after the other."""
    tensors = {tensor for size in sizes for tensor, _ in size.axes}
    if len(tensors) != 1:
        return None
    tensor = tensors.pop()
    wanted = [Size(1, ((tensor, axis),)) for axis in range(len(sizes))]
    return tensor if list(sizes) == wanted else None


def of_axis(functions: str, tensor: str, axis: int, *, own: bool = False) -> str:
    """Return the size of an axis as a tensor of one element: in single precision, or in the tensor's own dtype."""
    if own:
        return f"{functions}.sum({functions}.ones_like({functions}.contrib.arange_like({tensor}, axis={axis})))"
    end = axis + 1 if axis != -1 else None
    return (
        f'{functions}.slice_axis({functions}.shape_array({tensor}), axis=0, begin={axis}, end={end}).astype("float32")'
    )


def beside_itself(frame: Frame, node: ast.expr, tensor: str) -> bool:
    """Whether a number stands beside a tensor with a name, or what is made of it alone in its dtype."""
    match parent_of(frame, node):
        case ast.BinOp(left=left, right=right):
            other = right if left is node else left
            return tensor in {root_of(other), dtype_of(other)}
    return False


def whole_number(frame: Frame, node: ast.expr) -> ast.expr:
    """Return the largest expression of sizes and numbers alone that a size stands in."""
    inner = node
    while isinstance(parent := parent_of(frame, inner), ast.expr) and number(frame, parent) is not None:
        inner = parent
    return inner


def number(frame: Frame, node: ast.expr, *, own: bool = False) -> str | None:
    """Return arithmetic of sizes as a tensor of one element, numbers as they are; None for anything else.

    Sizes are in single precision, or in the dtype of the tensor that they are those of.
    """
    text: str | None = None
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            text = frame.source.code(node)
        case ast.Subscript():
            size = parse(node)
            text = None if size is None or frame.functions is None else of_axis(frame.functions, *size.axes[0], own=own)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _SYMBOLS:
            first, second = number(frame, left, own=own), number(frame, right, own=own)
            text = None if first is None or second is None else f"({first} {_SYMBOLS[type(op)]} {second})"
        case ast.Call(func=function, args=[ast.Subscript() as only]) if dotted(function) in _PRODUCTS:
            text = _of_axes(frame, only)
        case ast.Call(func=function, args=[only], keywords=[]):
            inner = number(frame, only, own=own)
            text = None if inner is None else _function_of_size(frame, dotted(function), inner)
    return text


def _of_axes(frame: Frame, node: ast.Subscript) -> str | None:
    """Return the product of the sizes that ``x.shape[1:]`` reads, as a tensor of one element."""
    match node:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=tensor), attr="shape"), slice=ast.Slice() as key):
            begin, end = literal(key.lower), literal(key.upper)
        case _:
            return None
    if key.step is not None or (key.lower is not None and begin is None) or (key.upper is not None and end is None):
        return None
    functions = frame.functions
    sizes = f"{functions}.slice_axis({functions}.shape_array({tensor}), axis=0, begin={begin or 0}, end={end})"
    return f'{functions}.prod({sizes}.astype("float32"))'


def _function_of_size(frame: Frame, path: tuple[str, ...] | None, size: str) -> str | None:
    match path:
        case ("math" | "np" | "numpy", "sqrt" | "log" | "exp" as name):
            return f"{frame.functions}.{name}({size})"
        case ("float",):
            return size
    return None
