"""Softmax and related functions along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Literal

from hybridlint.runtime.facts.backward import reversed_by, same
from hybridlint.runtime.facts.infer import normal_axis, unify_shapes
from hybridlint.runtime.facts.recipes import sizes_of
from hybridlint.runtime.facts.registry import BufferRecipe, Facts, op, sample
from hybridlint.runtime.facts.types import Dtype, InferError, TensorType
from hybridlint.runtime.ops.blocks import blocks, rows_at_once, together

_FLOATS = (None, "float16", "float32", "float64")


def _infer(data: TensorType, *length: TensorType, axis: int, dtype: str | None) -> TensorType:
    if data.dtype not in _FLOATS:
        raise InferError("data", f"softmax of {data.dtype}: only floating point types are supported")
    if data.shape is not None:
        # One number is its own axis.
        axis = normal_axis(axis, len(data.shape) or 1)
        for lengths in length:
            unify_shapes((*data.shape[:axis], *data.shape[axis + 1 :]), lengths.shape, "length")
    return TensorType(data.shape, dtype or data.dtype)


@reversed_by(same)
def _infer_plain(data: TensorType, /, *, axis: int, dtype: str | None) -> TensorType:
    return _infer(data, axis=axis, dtype=dtype)


def _scaled(data: Any, temperature: float | None, dtype: str | None) -> Any:
    wide = data if dtype is None else data.astype(dtype, copy=False)
    return wide if temperature is None or temperature == 1 else wide / temperature


def _normalized(xp: Any, scores: Any, axis: int, out: Any) -> Any:
    """Return exponentials divided by their sum along the axis; rows that are all -inf become zeros."""
    if not scores.size:
        return scores
    peak = scores.max(axis=axis, keepdims=True)
    result = xp.asarray(xp.exp(xp.subtract(scores, xp.where(xp.isinf(peak), 0, peak), out=out), out=out))
    total = result.sum(axis=axis, keepdims=True)
    return xp.divide(result, xp.where(total == 0, 1, total), out=result)


def _planned(
    ins: tuple[TensorType | None, ...],
    outs: tuple[TensorType, ...],
    /,
    *,
    axis: int,
    temperature: float | None,
    dtype: str | None,
    use_length: bool,
) -> BufferRecipe | None:
    """Return a recipe of softmax over the last axis, some rows at a time; None if it does not apply."""
    data, held = ins[0], outs[0]
    assert data is not None
    *outer, width = sizes_of(held) or (1,)
    plain = not use_length and temperature in {None, 1} and data.dtype == held.dtype
    if not plain or not outer or axis not in {-1, len(outer)} or held.dtype not in {"float32", "float64"}:
        return None
    count = prod(outer)
    most = rows_at_once(count, width)

    def run(xp: Any, ins: Sequence[Any], outs: Sequence[Any], kept: Sequence[Any], scratch: Sequence[Any]) -> None:
        given, place = together(xp, ins[0], outs[0])
        given, place = given.reshape(count, width), place.reshape(count, width)
        for part in blocks(count, most):
            shares, moment = place[part], scratch[0][: len(place[part])]
            xp.max(given[part], axis=1, keepdims=True, out=moment)
            moment[xp.isinf(moment)] = 0
            xp.subtract(given[part], moment, out=shares)
            xp.exp(shares, out=shares)
            # Sums as products, which take several rows at a time.
            xp.matmul(shares, kept[0], out=moment)
            moment[moment == 0] = 1
            xp.divide(shares, moment, out=shares)

    def prepare(xp: Any, steady: Sequence[Any], kept: Sequence[Any]) -> None:
        kept[0].fill(1)

    moment, ones = TensorType((most, 1), held.dtype), TensorType((width, 1), held.dtype)
    return BufferRecipe(run, scratch=(moment,), kept=(ones,), prepare=prepare, in_place=True)


def _total(F: Any, value: Any, data: Any, axis: int) -> Any:
    """Return the sum along the axis, with size 1 there."""
    return F.sum(value, axis=axis, keepdims=True) if len(data.shape) else value


def _softmax_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, axis: int, temperature: float | None
) -> tuple[Any, ...]:
    y = outs[0]
    into_data = y * (g - _total(F, g * y, ins[0], axis)) * (1 / (temperature or 1.0))
    return (into_data, *(None for _ in ins[1:]))


@op(
    planned=_planned,
    infer=_infer,
    grad=_softmax_grad,
    active_inputs=lambda *, use_length: ("data", "length") if use_length else ("data",),
    samples=[
        sample((2, 3)),
        sample((2, 3, 4), axis=1, temperature=2.0),
        sample((2, 3), (2,), use_length=True, low=1.0, high=3.0, dtypes=("float32", "int32")),
    ],
    facts=Facts(distinct=True),
    method="softmax",
)
def softmax(
    xp: Any,
    data: Any,
    length: Any = None,
    /,
    *,
    axis: int = -1,
    temperature: float | None = None,
    dtype: Dtype | None = None,
    use_length: bool = False,
    out: Any = None,
) -> Any:
    """Return exponentials that sum to one along an axis.

    `length` has the data's shape without the axis: only that many leading elements count, the others become zero.
    """
    scores = _scaled(data, temperature, dtype)
    if use_length and length is not None:
        steps = xp.arange(data.shape[axis]).reshape((-1,) + (1,) * (-1 - axis if axis < 0 else data.ndim - 1 - axis))
        scores = xp.where(steps < xp.expand_dims(length, axis), scores, -xp.inf).astype(scores.dtype, copy=False)
    return _normalized(xp, scores, axis, out)


@op(
    infer=_infer_plain,
    grad=lambda F, g, ins, outs, *, axis, temperature: (
        (g - F.exp(outs[0]) * _total(F, g, ins[0], axis)) * (1 / (temperature or 1.0)),
    ),
    samples=[sample((2, 3)), sample((2, 3, 4), axis=1, temperature=2.0)],
    facts=Facts(distinct=True),
    method="log_softmax",
)
def log_softmax(
    xp: Any,
    data: Any,
    /,
    *,
    axis: int = -1,
    temperature: float | None = None,
    dtype: Dtype | None = None,
    use_length: bool = False,
    out: Any = None,
) -> Any:
    """Return the logarithm of softmax along an axis."""
    if use_length:
        raise ValueError("log_softmax does not support use_length")
    scores = _scaled(data, temperature, dtype)
    if not scores.size:
        return scores
    shifted = xp.asarray(xp.subtract(scores, scores.max(axis=axis, keepdims=True), out=out))
    return xp.subtract(shifted, xp.log(xp.exp(shifted).sum(axis=axis, keepdims=True)), out=shifted)


@op(
    infer=_infer_plain,
    grad=lambda F, g, ins, outs, *, axis, temperature: (
        outs[0] * (_total(F, g * outs[0], ins[0], axis) - g) * (1 / (temperature or 1.0)),
    ),
    samples=[sample((2, 3)), sample((2, 3, 4), axis=1, temperature=3.0)],
    method="softmin",
)
def softmin(
    xp: Any,
    data: Any,
    /,
    *,
    axis: int = -1,
    temperature: float | None = None,
    dtype: Dtype | None = None,
    use_length: bool = False,
    out: Any = None,
) -> Any:
    """Return softmax of the negated data along an axis."""
    if use_length:
        raise ValueError("softmin does not support use_length")
    return _normalized(xp, -_scaled(data, temperature, dtype), axis, out)


def _activation_axis(mode: str) -> int:
    return 1 if mode == "channel" else -1


@reversed_by(same)
def _infer_activation(data: TensorType, *, mode: str) -> TensorType:
    if mode not in {"instance", "channel"}:
        raise InferError("mode", f"expected 'instance' or 'channel', got {mode!r}")
    return data


@op(
    name="SoftmaxActivation",
    infer=_infer_activation,
    grad=lambda F, g, ins, outs, *, mode: _softmax_grad(F, g, ins, outs, axis=_activation_axis(mode), temperature=None),
    samples=[sample((2, 3)), sample((2, 3, 4), mode="channel")],
)
def softmax_activation(
    xp: Any, data: Any, /, *, mode: Literal["channel", "instance"] = "instance", out: Any = None
) -> Any:
    """Return softmax over the last axis, or over the channels."""
    return _normalized(xp, data, _activation_axis(mode), out)
