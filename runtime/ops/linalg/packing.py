"""Conversions between diagonals or triangles of matrices and vectors."""

from __future__ import annotations

import math
from typing import Any

from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.ops.linalg.blas import require_matrices


def _infer_extractdiag(A: TensorType, *, offset: int) -> TensorType:
    require_matrices(A, square=True)
    if A.shape is None:
        return A
    return A.with_shape((*A.shape[:-2], A.shape[-1] + -abs(offset)))


@op(
    name="_linalg_extractdiag",
    aliases=("linalg_extractdiag",),
    infer=_infer_extractdiag,
    grad=lambda F, g, ins, outs, *, offset: (F._linalg_makediag(g, offset=offset),),
    samples=[sample((2, 3, 3)), sample((3, 3), offset=-1)],
)
def extractdiag(xp: Any, A: Any, /, *, offset: int = 0) -> Any:
    """Return a diagonal of each matrix."""
    return xp.diagonal(A, offset, -2, -1)


def _infer_makediag(A: TensorType, *, offset: int) -> TensorType:
    if A.shape is None:
        return A
    size = A.shape[-1] + abs(offset)
    return A.with_shape((*A.shape[:-1], size, size))


@op(
    name="_linalg_makediag",
    aliases=("linalg_makediag",),
    infer=_infer_makediag,
    grad=lambda F, g, ins, outs, *, offset: (F._linalg_extractdiag(g, offset=offset),),
    samples=[sample((2, 2)), sample((3,), offset=1)],
)
def makediag(xp: Any, A: Any, /, *, offset: int = 0) -> Any:
    """Return matrices with the given vectors on a diagonal and zeros elsewhere."""
    count = A.shape[-1]
    result = xp.zeros((*A.shape[:-1], count + abs(offset), count + abs(offset)), A.dtype)
    places = xp.arange(count)
    result[..., places + max(-offset, 0), places + max(offset, 0)] = A
    return result


def _triangle_places(xp: Any, size: int, offset: int, lower: bool) -> tuple[Any, Any]:
    """Return the row and column indices of a triangle that begins at the diagonal `offset`.

    A positive offset is in the upper triangle, a negative one in the lower; `lower` decides for 0. A lower triangle is
    read row by row, an upper one column by column.
    """
    rows, columns = xp.indices((size, size))
    far, near = xp.nonzero(columns - rows <= -abs(offset))
    return (far, near) if offset < 0 or (offset == 0 and lower) else (near, far)


def _infer_extracttrian(A: TensorType, *, offset: int) -> TensorType:
    require_matrices(A, square=True)
    if A.shape is None:
        return A
    size = A.shape[-1]
    side = size - abs(offset) if isinstance(size, int) else None
    return A.with_shape((*A.shape[:-2], Dim.fresh() if side is None else side * (side + 1) // 2))


@op(
    name="_linalg_extracttrian",
    aliases=("linalg_extracttrian",),
    infer=_infer_extracttrian,
    grad=lambda F, g, ins, outs, *, offset, lower: (F._linalg_maketrian(g, offset=offset, lower=lower),),
    samples=[sample((2, 3, 3)), sample((3, 3), offset=1), sample((3, 3), offset=-1), sample((3, 3), lower=False)],
)
def extracttrian(xp: Any, A: Any, /, *, offset: int = 0, lower: bool = True) -> Any:
    """Return the elements of a triangle of each matrix."""
    rows, columns = _triangle_places(xp, A.shape[-1], offset, lower)
    return A[..., rows, columns]


def _triangle_side(count: int) -> int:
    """Return the number of rows of a triangle with `count` elements. Raises InferError if there is no such triangle."""
    side = (math.isqrt(8 * count + 1) - 1) // 2
    if side * (side + 1) // 2 != count:
        raise InferError("A", f"{count} elements make no triangle")
    return side


def _infer_maketrian(A: TensorType, *, offset: int) -> TensorType:
    if A.shape is None:
        return A
    count = A.shape[-1]
    size: DimLike = _triangle_side(count) + abs(offset) if isinstance(count, int) else Dim.fresh()
    return A.with_shape((*A.shape[:-1], size, size))


@op(
    name="_linalg_maketrian",
    aliases=("linalg_maketrian",),
    infer=_infer_maketrian,
    grad=lambda F, g, ins, outs, *, offset, lower: (F._linalg_extracttrian(g, offset=offset, lower=lower),),
    samples=[sample((2, 6)), sample((3,), offset=1), sample((6,), lower=False)],
)
def maketrian(xp: Any, A: Any, /, *, offset: int = 0, lower: bool = True) -> Any:
    """Return matrices with the given elements in a triangle and zeros elsewhere."""
    size = _triangle_side(A.shape[-1]) + abs(offset)
    result = xp.zeros((*A.shape[:-1], size, size), A.dtype)
    rows, columns = _triangle_places(xp, size, offset, lower)
    result[..., rows, columns] = A
    return result
