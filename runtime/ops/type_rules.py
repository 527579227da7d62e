"""Type rules that layers share: shapes of weights that follow from the data, and checks of ranks, sizes and dtypes."""

from __future__ import annotations

from collections.abc import Iterable

from hybridlint.runtime.facts.dims import Dim, DimLike, differ, product
from hybridlint.runtime.facts.infer import normal_axis, unify_shapes
from hybridlint.runtime.facts.types import InferError, Shape, TensorType


def refined(given: TensorType, shape: Shape | None, dtype: str | None, argument: str) -> TensorType:
    """Return an input's type combined with the shape and dtype that it must have. Raises InferError on a conflict."""
    if given.dtype is not None and dtype is not None and given.dtype != dtype:
        raise InferError(argument, f"expected dtype {dtype}, got {given.dtype}")
    return TensorType(unify_shapes(shape, given.shape, argument), given.dtype or dtype)


def one_dtype(*ins: TensorType, argument: str = "rhs") -> str | None:
    """Return the common dtype of all inputs, None if unknown. Raises InferError if two inputs have different dtypes."""
    known = [t.dtype for t in ins if t.dtype is not None]
    if any(dtype != known[0] for dtype in known):
        raise InferError(argument, f"expected dtype {known[0]}, got {next(d for d in known if d != known[0])}")
    return known[0] if known else None


def size_along(data: TensorType, axis: int) -> DimLike:
    """Return the size of a tensor along an axis; a new unknown size if its shape is unknown."""
    return Dim.fresh() if data.shape is None else data.shape[normal_axis(axis, len(data.shape))]


def require_rank(data: TensorType, ranks: Iterable[int], argument: str = "data") -> None:
    """Raise InferError if a tensor's number of dimensions is known and not one of `ranks`."""
    allowed = tuple(ranks)
    if data.shape is not None and len(data.shape) not in allowed:
        expected = " or ".join(map(str, allowed))
        raise InferError(argument, f"expected {expected} dimensions, got {len(data.shape)}")


def exact_quotient(total: Iterable[DimLike], parts: Iterable[DimLike], argument: str) -> DimLike:
    """Return the product of the sizes `total` divided by the product of `parts`.

    Unknown sizes give an unknown quotient. Raises InferError if the division of integers leaves a remainder.
    """
    remaining, divisors = list(total), []
    for part in parts:
        if part in remaining:
            remaining.remove(part)
        else:
            divisors.append(part)
    numerator, denominator = product(tuple(remaining)), product(tuple(divisors))
    if denominator == 0:
        raise InferError(argument, "cannot infer a size beside a size of 0")
    if isinstance(numerator, Dim):
        return numerator // denominator
    if isinstance(denominator, Dim):
        return Dim.fresh()
    if numerator % denominator:
        raise InferError(argument, f"{numerator} elements do not divide into {denominator}")
    return numerator // denominator


def require_equal(left: DimLike, right: DimLike, argument: str, what: str) -> None:
    """Raise InferError where two sizes are proved different."""
    if differ(left, right):
        raise InferError(argument, f"{what}: expected {left}, got {right}")
