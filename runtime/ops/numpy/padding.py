"""Operators of numpy mode that pad an axis, and differences of neighbours along an axis."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.registry import Facts, Refusal, op, sample
from hybridlint.runtime.facts.types import InferError, Pairs, TensorType


def _pairs(pad_width: Any, rank: int) -> tuple[tuple[int, int], ...]:
    rows = pad_width if isinstance(pad_width, (tuple, list)) else (pad_width,)
    if all(isinstance(row, int) for row in rows):
        rows = (rows,) * rank if len(rows) == 2 else tuple((row, row) for row in rows) * rank
    pairs = tuple((row[0], row[-1]) for row in rows)
    if len(pairs) == 1:
        pairs *= rank
    if len(pairs) != rank:
        raise InferError("pad_width", f"{len(pairs)} pairs for {rank} dimensions")
    return pairs


def _infer_pad(data: TensorType, /, *, pad_width: Any) -> TensorType:
    if data.shape is None:
        return data
    pairs = _pairs(pad_width, len(data.shape))
    return data.with_shape(
        tuple(size + (before + after) for size, (before, after) in zip(data.shape, pairs, strict=True))
    )


def _pad_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, pad_width: Any, mode: str
) -> tuple[Any, ...]:
    if mode != "constant":
        return (Refusal(f"np.pad has no gradient with mode={mode!r}: other modes are not supported"),)
    pairs = _pairs(pad_width, len(ins[0].shape))
    begin = tuple(before for before, _ in pairs)
    end = tuple(before + size for (before, _), size in zip(pairs, ins[0].shape, strict=True))
    return (F.slice(g, begin=begin, end=end),)


@op(
    infer=_infer_pad,
    grad=_pad_grad,
    samples=[
        sample((2, 3), pad_width=((0, 0), (1, 2))),
        sample((2, 3), pad_width=((1, 1), (1, 1)), constant_value=2.0),
    ],
    facts=Facts(numpy_names=("pad",)),
)
def _npi_pad(
    xp: Any,
    data: Any,
    /,
    *,
    pad_width: Pairs,
    mode: str = "constant",
    constant_value: float = 0.0,
    reflect_type: str = "even",
) -> Any:
    """Add elements around the array."""
    extra = {"constant_values": constant_value} if mode == "constant" else {}
    return xp.pad(data, _pairs(pad_width, data.ndim), mode=mode, **extra)


def _infer_diff(a: TensorType, /, *, n: int, axis: int) -> TensorType:
    if a.shape is None:
        return a
    place = normal_axis(axis, len(a.shape))
    size = a.shape[place]
    left = max(size - n, 0) if isinstance(size, int) else size - n
    return a.with_shape((*a.shape[:place], left, *a.shape[place + 1 :]))


def _diff_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, n: int, axis: int) -> tuple[Any, ...]:
    rank = len(ins[0].shape)
    place = normal_axis(axis, rank)
    width = tuple((1, 1) if k == place else (0, 0) for k in range(rank))
    for _ in range(n):
        g = -F._npi_diff(F._npi_pad(g, pad_width=width), axis=axis)
    return (g,)


@op(
    infer=_infer_diff,
    grad=_diff_grad,
    samples=[sample((2, 4)), sample((4, 2), n=2, axis=0)],
    facts=Facts(numpy_names=("diff",)),
)
def _npi_diff(xp: Any, a: Any, /, *, n: int = 1, axis: int = -1) -> Any:
    """Return the differences of neighbours along an axis, taken `n` times."""
    return xp.diff(a, n, axis)
