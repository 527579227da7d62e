"""Gradients of decompositions and of matrix norms, which follow from singular values."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import Axes, TensorType


@op(
    infer=lambda g_u, g_s, g_vt, u, s, vt, /: vt,
    samples=[sample((2, 2), (2,), (2, 3), (2, 2), (2,), (2, 3), low=0.5)],
)
def _hl_svd_gradient(xp: Any, g_u: Any, g_s: Any, g_vt: Any, u: Any, s: Any, vt: Any, /) -> Any:
    """Return the gradient of a matrix by those of its singular value decomposition ``u @ diag(s) @ vt``."""
    squares = s * s
    gaps = squares[..., None, :] - squares[..., :, None]
    same = gaps == 0
    inverse = xp.where(same, 0, 1 / xp.where(same, 1, gaps)).astype(s.dtype)
    v, g_v = _turned(vt), _turned(g_vt)
    turn_u, turn_v = _turned(u) @ g_u, vt @ g_v
    left = inverse * (turn_u - _turned(turn_u)) * s[..., None, :]
    right = s[..., :, None] * (inverse * (turn_v - _turned(turn_v)))
    middle = left + right + xp.eye(s.shape[-1], dtype=s.dtype) * g_s[..., None, :]
    # What is orthogonal to all rows of vt changes them too.
    beside = (g_vt - (g_vt @ v) @ vt) / s[..., :, None]
    return u @ (middle @ vt + beside)


def _turned(matrices: Any) -> Any:
    return matrices.swapaxes(-1, -2)


def _infer_like_data(g: TensorType, data: TensorType, /) -> TensorType:
    return data


@op(
    infer=_infer_like_data,
    samples=[sample((), (2, 3), ord=1.0, flag=1, axis=(0, 1)), sample((2,), (2, 2, 3), ord=2.0, flag=2, axis=(1, 2))],
)
def _hl_matrix_norm_gradient(
    xp: Any, g: Any, data: Any, /, *, ord: float = 2.0, axis: Axes = None, flag: int = 0
) -> Any:
    """Return the gradient of a matrix norm: order 1 or 2, or with `flag` 2 the nuclear norm."""
    rows, columns = (0, 1) if axis is None or isinstance(axis, int) else axis
    matrices = xp.moveaxis(data, (rows, columns), (-2, -1))
    found = g.reshape((*matrices.shape[:-2], 1, 1)) * _slope(xp, matrices, ord, flag)
    return xp.moveaxis(found, (-2, -1), (rows, columns)).astype(data.dtype, copy=False)


def _slope(xp: Any, matrices: Any, order: float, flag: int) -> Any:
    """Return the slope of a norm at each element."""
    if flag != 2 and abs(order) == 1:
        sums = xp.abs(matrices).sum(axis=-2, keepdims=True)
        bound = (sums.max if order > 0 else sums.min)(axis=-1, keepdims=True)
        return xp.where(sums == bound, xp.sign(matrices), 0)
    u, _, vt = xp.linalg.svd(matrices, full_matrices=False)
    if flag == 2:
        return u @ vt
    place = 0 if order > 0 else -1
    return u[..., :, place][..., :, None] * vt[..., place, :][..., None, :]
