"""Division by a norm: of an example, along its channels, or of neighbouring channels."""

from __future__ import annotations

from typing import Any, Literal

from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import InferError, Ints, TensorType
from hybridlint.runtime.ops.type_rules import require_rank


def _infer_l2(data: TensorType, *, mode: str) -> TensorType:
    if mode not in {"instance", "channel", "spatial"}:
        raise InferError("mode", f"expected 'instance', 'channel' or 'spatial', got {mode!r}")
    if data.shape is not None and len(data.shape) < (2 if mode == "instance" else 3):
        raise InferError("data", f"{len(data.shape)} dimensions are too few for the mode {mode!r}")
    return data


def _norm_axes(mode: str, rank: int) -> Ints:
    first = {"instance": 1, "channel": 1, "spatial": 2}[mode]
    return (1,) if mode == "channel" else tuple(range(first, rank))


@op(
    name="L2Normalization",
    infer=_infer_l2,
    grad=lambda F, g, ins, outs, **params: (F._hl_l2_grad(g, ins[0], **params),),
    samples=[sample((2, 3)), sample((2, 3, 4), mode="channel"), sample((2, 3, 2, 2), mode="spatial", eps=0.1)],
)
def l2_normalization(
    xp: Any, data: Any, /, *, eps: float = 1.00000001e-10, mode: Literal["channel", "instance", "spatial"] = "instance"
) -> Any:
    """Divide by the square root of the sum of squares plus `eps`.

    The sum is over each example ("instance"), over its channels ("channel"), or over its spatial axes ("spatial").
    """
    return data / xp.sqrt(xp.square(data).sum(axis=_norm_axes(mode, data.ndim), keepdims=True) + eps)


@op(infer=lambda g, data: data, samples=[sample((2, 3), (2, 3), eps=1e-10)])
def _hl_l2_grad(xp: Any, g: Any, data: Any, /, *, eps: float, mode: str = "instance") -> Any:
    """Return the gradient with respect to L2Normalization's data."""
    axes = _norm_axes(mode, data.ndim)
    norm = xp.sqrt(xp.square(data).sum(axis=axes, keepdims=True) + eps)
    unit = data / norm
    return (g - unit * (g * unit).sum(axis=axes, keepdims=True)) / norm


def _infer_lrn(data: TensorType, *, nsize: int) -> TensorType:
    require_rank(data, [4])
    if nsize % 2 == 0:
        raise InferError("nsize", f"expected an odd number, got {nsize}")
    return data


def _neighbour_sum(xp: Any, values: Any, nsize: int) -> Any:
    """Sum over the `nsize` channels around each channel."""
    half, channels = nsize // 2, values.shape[1]
    total = values.copy()
    for shift in range(1, min(half, channels - 1) + 1):
        total[:, shift:] += values[:, :-shift]
        total[:, :-shift] += values[:, shift:]
    return total


def _lrn_base(xp: Any, data: Any, alpha: float, knorm: float, nsize: int) -> Any:
    base = _neighbour_sum(xp, xp.square(data), nsize)
    base *= alpha / nsize
    base += knorm
    return base


@op(
    name="LRN",
    infer=_infer_lrn,
    grad=lambda F, g, ins, outs, **params: (F._hl_lrn_grad(g, ins[0], **params),),
    samples=[sample((1, 4, 2, 2), nsize=3, alpha=0.1), sample((1, 2, 2, 2), nsize=5, alpha=0.1, knorm=1.0)],
)
def lrn(
    xp: Any,
    data: Any,
    /,
    *,
    alpha: float = 9.99999975e-05,
    beta: float = 0.75,
    knorm: float = 2.0,
    nsize: int,
) -> Any:
    """Divide (N, C, H, W) by a power of the sum of squares of `nsize` neighbouring channels."""
    base = _lrn_base(xp, data, alpha, knorm, nsize)
    if beta != 0.75:
        return data * base**-beta
    # Two roots take half the time of a power.
    xp.sqrt(base, out=base)
    base *= xp.sqrt(base)
    return xp.divide(data, base, out=base)


@op(
    infer=lambda g, data: data,
    samples=[sample((1, 3, 1, 2), (1, 3, 1, 2), alpha=0.1, beta=0.75, knorm=2.0, nsize=3)],
)
def _hl_lrn_grad(xp: Any, g: Any, data: Any, /, *, alpha: float, beta: float, knorm: float, nsize: int) -> Any:
    """Return the gradient with respect to LRN's data."""
    base = _lrn_base(xp, data, alpha, knorm, nsize)
    shared = _neighbour_sum(xp, g * data * base ** (-beta - 1), nsize)
    return g * base**-beta - (2 * alpha * beta / nsize) * data * shared
