"""Shape and dtype rules shared by many operators. Pure Python; unknown sizes are `Dim`, unknown ranks None."""

from __future__ import annotations

from hybridlint.runtime.facts.backward import reversed_by, same
from hybridlint.runtime.facts.dims import Dim, DimLike, differ
from hybridlint.runtime.facts.types import InferError, Shape, TensorType, show_shape


def unify_dims(left: DimLike, right: DimLike) -> DimLike:
    """Return the more precise of two sizes that must be equal."""
    return right if isinstance(left, Dim) and (isinstance(right, int) or left.anonymous) else left


def unify_shapes(left: Shape | None, right: Shape | None, argument: str) -> Shape | None:
    """Return the more precise of two shapes that must be equal. Raises InferError if they are proved different."""
    if left is None or right is None:
        return right if left is None else left
    if left == right:
        return left
    if len(left) != len(right) or any(differ(a, b) for a, b in zip(left, right, strict=True)):
        raise InferError(argument, f"expected shape {show_shape(left)}, got {show_shape(right)}")
    return tuple(unify_dims(a, b) for a, b in zip(left, right, strict=True))


def unify_dtypes(*types: TensorType) -> str | None:
    """Return the first known dtype of some types, None if all are unknown."""
    return next((t.dtype for t in types if t.dtype is not None), None)


@reversed_by(same)
def same_shape(*ins: TensorType) -> TensorType:
    """Return the output type of an operator whose inputs and output share one shape and the first known dtype."""
    shape = ins[0].shape
    for t in ins[1:]:
        shape = unify_shapes(shape, t.shape, "rhs")
    return TensorType(shape, unify_dtypes(*ins))


def complete_same_shape(*ins: TensorType) -> tuple[TensorType, ...]:
    """Complete each input's type from the others: MXNet infers element-wise operators in both directions."""
    merged = same_shape(*ins)
    return (merged,) * len(ins)


def broadcast_dims(left: DimLike, right: DimLike, argument: str = "rhs") -> DimLike:
    """Return the size that two sizes broadcast to. Raises InferError if they are proved incompatible."""
    if right in (left, 1):
        return left
    if left == 1:
        return right
    if isinstance(left, int) and isinstance(right, int):
        raise InferError(argument, f"sizes {left} and {right} do not broadcast")
    if isinstance(left, int) or isinstance(right, int):
        return left if isinstance(left, int) else right
    return Dim.fresh()


def broadcast_shapes(left: Shape | None, right: Shape | None, argument: str = "rhs") -> Shape | None:
    """Return the numpy broadcast of two shapes."""
    if left is None or right is None:
        return None
    rank = max(len(left), len(right))
    wide, other = (1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right
    return tuple(broadcast_dims(a, b, argument) for a, b in zip(wide, other, strict=True))


def normal_axis(axis: int, rank: int, argument: str = "axis") -> int:
    """Return the axis counted from the front. Raises InferError if the tensor has no such axis."""
    if not -rank <= axis < rank:
        raise InferError(argument, f"axis {axis} of a tensor of {rank} dimensions")
    return axis % rank


def normal_axes(axis: int | tuple[int, ...] | None, rank: int) -> tuple[int, ...]:
    """Return axes counted from the front; all axes if `axis` is None or empty."""
    if axis is None or axis == ():
        return tuple(range(rank))
    given = (axis,) if isinstance(axis, int) else axis
    return tuple(normal_axis(a, rank) for a in given)
