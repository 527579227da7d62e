"""Operators that permute or reverse axes, and that exchange spatial blocks with channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridlint.runtime.facts.backward import reversed_by, same
from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.registry import BufferRecipe, Facts, op, sample
from hybridlint.runtime.facts.types import InferError, Ints, Shape, TensorType, unknown_shape
from hybridlint.runtime.ops.type_rules import exact_quotient, require_rank


def _inverse(axes: Ints) -> Ints:
    return tuple(sorted(range(len(axes)), key=axes.__getitem__))


def _transposed_back(result: Shape, /, *, axes: Ints) -> Shape:
    if len(axes) not in {0, len(result)}:
        raise InferError("axes", f"{axes} is no order of {len(result)} dimensions")
    return tuple(result[a] for a in _inverse(axes)) if axes else result[::-1]


@reversed_by(_transposed_back)
def _infer_transpose(data: TensorType, *, axes: Ints) -> TensorType:
    if data.shape is None:
        return data.with_shape(unknown_shape(len(axes)) if axes else None)
    if not axes:
        return data.with_shape(data.shape[::-1])
    if sorted(axes) != list(range(len(data.shape))):
        raise InferError("axes", f"{axes} is no order of {len(data.shape)} dimensions")
    return data.with_shape(tuple(data.shape[a] for a in axes))


def _planned(ins: tuple[TensorType | None, ...], outs: tuple[TensorType, ...], /, *, axes: Ints) -> BufferRecipe | None:
    """Copy rows that stay together now: the next operator, usually a reshape, would have to copy them.

    Where the last axis moves the result stays a view, which products take as it is.
    """
    if len(axes) < 3 or axes[-1] != len(axes) - 1:
        return None

    def run(xp: Any, ins: Sequence[Any], outs: Sequence[Any], kept: Sequence[Any], scratch: Sequence[Any]) -> None:
        xp.copyto(outs[0], xp.transpose(ins[0], axes))

    return BufferRecipe(run)


@op(
    planned=_planned,
    infer=_infer_transpose,
    grad=lambda F, g, ins, outs, *, axes: (F.transpose(g, axes=_inverse(axes)),),
    facts=Facts(numpy_names=("transpose",)),
    samples=[sample((2, 3, 4)), sample((2, 3, 4), axes=(1, 2, 0))],
    method="transpose",
    differentiable_twice=True,
)
def transpose(xp: Any, data: Any, /, *, axes: Ints = ()) -> Any:
    """Put the axes into the order `axes`, or reverse them."""
    return xp.transpose(data, axes or None)


def _swapped(shape: Shape, dim1: int, dim2: int) -> Shape:
    order = list(shape)
    first, second = normal_axis(dim1, len(order), "dim1"), normal_axis(dim2, len(order), "dim2")
    order[first], order[second] = order[second], order[first]
    return tuple(order)


@op(
    name="SwapAxis",
    aliases=("swapaxes",),
    infer=lambda data, *, dim1, dim2: data.with_shape(None if data.shape is None else _swapped(data.shape, dim1, dim2)),
    grad=lambda F, g, ins, outs, *, dim1, dim2: (F.SwapAxis(g, dim1=dim1, dim2=dim2),),
    facts=Facts(numpy_names=("swapaxes",)),
    samples=[sample((2, 3, 4), dim1=0, dim2=2), sample((2, 3, 4), dim1=-1, dim2=1)],
    method="swapaxes",
)
def swap_axis(xp: Any, data: Any, /, *, dim1: int = 0, dim2: int = 0) -> Any:
    """Swap two axes."""
    return xp.swapaxes(data, dim1, dim2)


@reversed_by(same)
def _infer_reverse(data: TensorType, *, axis: Ints) -> TensorType:
    rank = data.rank
    if any(a < 0 or (rank is not None and a >= rank) for a in axis):
        raise InferError("axis", f"expected axes from 0 to {'the last' if rank is None else rank - 1}, got {axis}")
    return data


@op(
    aliases=("flip",),
    infer=_infer_reverse,
    grad=lambda F, g, ins, outs, *, axis: (F.reverse(g, axis=axis),),
    facts=Facts(numpy_names=("flip",)),
    samples=[sample((2, 3), axis=(0,)), sample((2, 3), axis=(0, 1))],
    method="flip",
)
def reverse(xp: Any, data: Any, /, *, axis: Ints) -> Any:
    """Reverse the order of elements along axes. Negative axes are not accepted."""
    return xp.flip(data, axis)


def _infer_to_depth(data: TensorType, *, block_size: int) -> TensorType:
    require_rank(data, [4])
    if data.shape is None:
        return data.with_shape(unknown_shape(4))
    n, c, h, w = data.shape
    rows, columns = (exact_quotient([size], [block_size], "data") for size in (h, w))
    return data.with_shape((n, c * (block_size * block_size), rows, columns))


def _infer_to_space(data: TensorType, *, block_size: int) -> TensorType:
    require_rank(data, [4])
    if data.shape is None:
        return data.with_shape(unknown_shape(4))
    n, c, h, w = data.shape
    return data.with_shape((n, exact_quotient([c], [block_size] * 2, "data"), h * block_size, w * block_size))


@op(
    infer=_infer_to_depth,
    grad=lambda F, g, ins, outs, *, block_size: (F.depth_to_space(g, block_size=block_size),),
    samples=[sample((2, 2, 4, 6), block_size=2)],
    method="space_to_depth",
    differentiable_twice=True,
)
def space_to_depth(xp: Any, data: Any, /, *, block_size: int) -> Any:
    """Move blocks of `block_size` x `block_size` pixels into channels.

    The shape changes from (N, C, H, W) to (N, C * b * b, H / b, W / b).
    """
    n, c, h, w = data.shape
    b = block_size
    blocks = data.reshape(n, c, h // b, b, w // b, b)
    return blocks.transpose(0, 3, 5, 1, 2, 4).reshape(n, b * b * c, h // b, w // b)


@op(
    infer=_infer_to_space,
    grad=lambda F, g, ins, outs, *, block_size: (F.space_to_depth(g, block_size=block_size),),
    samples=[sample((2, 8, 2, 3), block_size=2)],
    method="depth_to_space",
    differentiable_twice=True,
)
def depth_to_space(xp: Any, data: Any, /, *, block_size: int) -> Any:
    """Move channels into blocks of `block_size` x `block_size` pixels.

    The shape changes from (N, C, H, W) to (N, C / b / b, H * b, W * b).
    """
    n, c, h, w = data.shape
    b = block_size
    blocks = data.reshape(n, b, b, c // (b * b), h, w)
    return blocks.transpose(0, 3, 4, 1, 5, 2).reshape(n, c // (b * b), h * b, w * b)
