"""Dropout."""

from __future__ import annotations

import math
from typing import Any, Literal

from hybridlint.runtime.facts.infer import normal_axes
from hybridlint.runtime.facts.registry import Facts, op, sample
from hybridlint.runtime.facts.types import InferError, Ints, Shape, TensorType


def _infer(data: TensorType, *, p: float, mode: str, axes: Ints) -> tuple[TensorType, TensorType]:
    if not 0 <= p <= 1:
        raise InferError("p", f"expected a probability in [0, 1], got {p}")
    if mode not in {"training", "always"}:
        raise InferError("mode", f"expected 'training' or 'always', got {mode!r}")
    return data, data.with_shape(None if data.shape is None else _mask_shape(data.shape, axes))


def _mask_shape(shape: Shape, axes: Ints) -> Shape:
    shared = normal_axes(axes, len(shape)) if axes else ()
    return tuple(1 if k in shared else size for k, size in enumerate(shape))


@op(
    name="Dropout",
    infer=_infer,
    grad=lambda F, g, ins, outs: (g * outs[1],),
    outputs=2,
    visible=1,
    facts=Facts(same_in_both_modes=lambda *, p, mode: p == 0 or mode == "always"),
    samples=[sample((2, 3)), sample((2, 3, 4), p=0.25, mode="always", axes=(1,))],
    differentiable_twice=True,
)
def dropout(
    xp: Any,
    data: Any,
    /,
    *,
    p: float = 0.5,
    mode: Literal["always", "training"] = "training",
    axes: Ints = (),
    cudnn_off: bool | None = False,
    training: bool = False,
    rng: Any = None,
) -> tuple[Any, Any]:
    """In train mode, set elements to 0 with probability `p` and divide the others by 1 - p.

    For p = 1 they become nan. With mode "always", also in predict mode. Along `axes`, all elements share one random
    decision. The hidden second output is the mask that the data was multiplied by.
    """
    shape = _mask_shape(data.shape, axes)
    if p == 0 or not (training or mode == "always"):
        return data, xp.broadcast_to(xp.ones(1, data.dtype), shape)
    kept = xp.asarray(rng.random(shape, dtype="float32") >= p)
    mask = kept * data.dtype.type(1 / (1 - p) if p < 1 else math.inf)
    return data * mask, mask
