"""Operators of numpy mode that give the elements another shape."""

from __future__ import annotations

from typing import Any

import hybridlint.runtime.ops.elementwise.selection  # noqa: F401  (the operators that these are derived from)
from hybridlint.runtime.facts.dims import Dim, DimLike, differ, product
from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.registry import Facts, derive, op, sample
from hybridlint.runtime.facts.types import Axes, InferError, Ints, Shape, TensorType, show_shape


def _back(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    return (F.reshape_like(g, ins[0]),)


derive("_np_copy", "_copy", facts=Facts(numpy_names=("copy",)))


def _infer_reshape(a: TensorType, /, *, newshape: Ints, order: str) -> TensorType:
    if any(size < -1 for size in newshape) or newshape.count(-1) > 1:
        raise InferError("newshape", f"{newshape} is no shape")
    if a.shape is None:
        return a.with_shape(tuple(Dim.fresh() if d == -1 else d for d in newshape))
    total, known = product(a.shape), product(tuple(d for d in newshape if d != -1))
    if -1 not in newshape:
        _require_size(a.shape, total, newshape, known)
        return a.with_shape(newshape)
    if isinstance(total, int) and isinstance(known, int) and (known == 0 or total % known):
        raise InferError("newshape", f"{show_shape(a.shape)} cannot be reshaped to {show_shape(newshape)}")
    return a.with_shape(tuple(_quotient(total, known) if d == -1 else d for d in newshape))


def _quotient(total: DimLike, known: DimLike) -> DimLike:
    """Return a quotient of sizes; a new unknown size if an integer is divided by an unknown size."""
    if isinstance(total, int):
        return total // known if isinstance(known, int) else Dim.fresh()
    return total // known


def _require_size(shape: Shape, total: DimLike, newshape: Shape, known: DimLike) -> None:
    if differ(total, known):
        raise InferError("newshape", f"{show_shape(shape)} cannot be reshaped to {show_shape(newshape)}")


@op(
    infer=_infer_reshape,
    grad=_back,
    samples=[sample((2, 3), newshape=(3, 2)), sample((2, 3), newshape=(-1,)), sample((), newshape=(1, 1))],
    facts=Facts(numpy_names=("reshape",)),
)
def _np_reshape(xp: Any, a: Any, /, *, newshape: Ints, order: str = "C") -> Any:
    """Give the elements another shape, in which -1 is inferred."""
    return a.reshape(newshape)


def coded_shape(shape: Shape, codes: Ints) -> Shape:
    """Return the shape that the codes of ``npx.reshape`` mean for data of this shape.

    -1 is inferred, -2 copies a size, -3 drops a size of 1, -4 copies all remaining sizes, -5 merges two sizes, -6
    splits a size into the next two numbers. Raises InferError.
    """
    result: list[DimLike | None] = []
    rest, codes_left = list(shape), list(codes)
    while codes_left:
        code = codes_left.pop(0)
        if code >= 0:
            result.append(code)
            rest = rest[1:]
        elif code == -1:
            result.append(None)
            rest = rest[1:]
        elif code == -4:
            result += rest
            rest = []
        elif code == -5:
            result.append(_next(rest) * _next(rest))
        elif code == -6:
            result += _split(_next(rest), [codes_left.pop(0), codes_left.pop(0)])
        elif code == -2:
            result.append(_next(rest))
        elif code == -3:
            if differ(_next(rest), 1):
                raise InferError("newshape", "code -3 drops a dimension whose size is not 1")
        else:
            raise InferError("newshape", f"unknown code {code}")
    return _with_inferred(shape, result)


def _next(rest: list[DimLike]) -> DimLike:
    if not rest:
        raise InferError("newshape", "more codes than dimensions")
    return rest.pop(0)


def _split(size: DimLike, parts: list[int]) -> list[DimLike]:
    if -1 not in parts:
        return list(parts)
    known = parts[1] if parts[0] == -1 else parts[0]
    return [size // known if p == -1 else p for p in parts]


def _with_inferred(shape: Shape, result: list[DimLike | None]) -> Shape:
    total, known = product(shape), product(tuple(d for d in result if d is not None))
    if result.count(None) > 1:
        raise InferError("newshape", "only one size can be inferred")
    if None not in result:
        _require_size(shape, total, tuple(d for d in result if d is not None), known)
    elif isinstance(total, int) and isinstance(known, int) and (known == 0 or total % known):
        raise InferError("newshape", f"{show_shape(shape)} does not divide by {known}")
    return tuple(_quotient(total, known) if d is None else d for d in result)


@op(
    infer=lambda a, /, *, newshape, reverse: a.with_shape(
        None if a.shape is None else _directed(a.shape, newshape, reverse)
    ),
    grad=_back,
    samples=[
        sample((2, 3, 4), newshape=(-2, -1)),
        sample((1, 3, 4), newshape=(-3, -4)),
        sample((2, 3, 4), newshape=(-5, -4)),
        sample((6, 4), newshape=(-6, 2, -1, -2)),
    ],
    aliases=("_npi_reshape",),
)
def _npx_reshape(xp: Any, a: Any, /, *, newshape: Ints, reverse: bool = False, order: str = "C") -> Any:
    """Give the elements another shape, by codes that copy, drop, merge, split sizes; `reverse` reads from the end."""
    return a.reshape(_directed(a.shape, newshape, reverse))


def _directed(shape: Shape, codes: Ints, reverse: bool) -> Shape:
    return coded_shape(shape[::-1], codes[::-1])[::-1] if reverse else coded_shape(shape, codes)


def _infer_squeeze(a: TensorType, /, *, axis: Axes) -> TensorType:
    if a.shape is None:
        return a
    if axis is None:
        if any(isinstance(size, Dim) for size in a.shape):
            return a.with_shape(None)
        return a.with_shape(tuple(size for size in a.shape if size != 1))
    if not a.shape and axis in (0, -1, (0,), (-1,)):
        return a
    dropped = {normal_axis(k, len(a.shape)) for k in ((axis,) if isinstance(axis, int) else axis)}
    if any(differ(a.shape[k], 1) for k in dropped):
        raise InferError("axis", f"{axis} of {show_shape(a.shape)} has a size other than 1")
    return a.with_shape(tuple(size for k, size in enumerate(a.shape) if k not in dropped))


@op(
    infer=_infer_squeeze,
    grad=_back,
    samples=[sample((1, 3, 1)), sample((1, 3, 1), axis=0), sample((1, 1))],
    facts=Facts(numpy_names=("squeeze",)),
)
def _np_squeeze(xp: Any, a: Any, /, *, axis: Axes = None) -> Any:
    """Remove dimensions of size 1: all, or those in `axis`."""
    return xp.squeeze(a, axis) if a.ndim else a


def _at_least(rank: int) -> None:
    def shape_of(t: TensorType) -> TensorType:
        if t.shape is None:
            return t
        return t.with_shape(tuple(_atleast_shape(t.shape, rank)))

    def kernel(xp: Any, /, *arys: Any, num_args: int = 1) -> Any:
        found = [a.reshape(_atleast_shape(a.shape, rank)) for a in arys]
        return found[0] if len(found) == 1 else tuple(found)

    kernel.__name__ = f"_np_atleast_{rank}d"
    kernel.__doc__ = f"Give arrays of fewer dimensions {rank}."
    op(
        infer=lambda *arys: shape_of(arys[0]) if len(arys) == 1 else tuple(map(shape_of, arys)),
        grad=lambda F, g, ins, outs: tuple(
            F.reshape_like(h, x) for h, x in zip((g,) if len(ins) == 1 else g, ins, strict=True)
        ),
        outputs=lambda *, num_args: num_args,
        samples=[sample(()), sample((3,)), sample((2, 3))],
        facts=Facts(numpy_names=(f"atleast_{rank}d",)),
        differentiable_twice=True,
    )(kernel)


def _atleast_shape(shape: Shape, rank: int) -> Shape:
    if len(shape) >= rank:
        return shape
    if rank < 3:
        return (1,) * (rank - len(shape)) + shape
    return {0: (1, 1, 1), 1: (1, *shape, 1), 2: (*shape, 1)}[len(shape)]


for _rank in (1, 2, 3):
    _at_least(_rank)
