"""Normalization of each example: over one axis, over groups of channels, over each channel."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.recipes import sizes_of
from hybridlint.runtime.facts.registry import BufferRecipe, Facts, op, sample
from hybridlint.runtime.facts.types import InferError, Shape, TensorType
from hybridlint.runtime.ops.blocks import blocks, rows_at_once, together
from hybridlint.runtime.ops.nn.standardizing import all_but, along, standardize, standardize_grad, wide
from hybridlint.runtime.ops.type_rules import refined, size_along


def _complete_layer(
    data: TensorType, gamma: TensorType, beta: TensorType, *, axis: int
) -> tuple[TensorType, TensorType, TensorType]:
    shape = (size_along(data, axis),)
    return data, refined(gamma, shape, data.dtype, "gamma"), refined(beta, shape, data.dtype, "beta")


def _infer_layer(data: TensorType, gamma: TensorType, beta: TensorType, *, axis: int) -> tuple[TensorType, ...]:
    _complete_layer(data, gamma, beta, axis=axis)
    if data.shape is None:
        return data, data, data
    axis = normal_axis(axis, len(data.shape))
    moments = data.with_shape((*data.shape[:axis], 1, *data.shape[axis + 1 :]))
    return data, moments, moments


def _layer_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, axis: int, output_mean_var: bool
) -> tuple[Any, ...]:
    head = g[0] if output_mean_var else g
    return tuple(F._hl_layer_norm_grad(head, ins[0], ins[1], outs[1], outs[2], axis=axis))


def _planned(
    ins: tuple[TensorType | None, ...], outs: tuple[TensorType, ...], /, *, axis: int, eps: float
) -> BufferRecipe | None:
    """Normalize some rows at a time."""
    held = outs[0]
    *outer, width = sizes_of(held)
    if axis not in {-1, len(outer)} or held.dtype not in {"float32", "float64"}:
        return None
    count = prod(outer)
    most = rows_at_once(count, width)

    def run(xp: Any, ins: Sequence[Any], outs: Sequence[Any], kept: Sequence[Any], scratch: Sequence[Any]) -> None:
        data, gamma, beta = ins
        given, place = together(xp, data, outs[0])
        given, place = given.reshape(count, width), place.reshape(count, width)
        for part in blocks(count, most):
            normal = place[part]
            moment = scratch[0][: len(normal)]
            # Sums as products, which take several rows at a time.
            xp.matmul(given[part], kept[0], out=moment)
            xp.subtract(given[part], moment, out=normal)
            xp.vecdot(normal, normal, out=moment[:, 0])
            xp.divide(moment, width, out=moment)
            xp.add(moment, eps, out=moment)
            xp.sqrt(moment, out=moment)
            xp.divide(normal, moment, out=normal)
            xp.multiply(normal, gamma, out=normal)
            xp.add(normal, beta, out=normal)

    def prepare(xp: Any, steady: Sequence[Any], kept: Sequence[Any]) -> None:
        kept[0].fill(1 / width)

    moment, shares = TensorType((most, 1), held.dtype), TensorType((width, 1), held.dtype)
    return BufferRecipe(run, scratch=(moment,), kept=(shares,), prepare=prepare, in_place=True)


@op(
    name="LayerNorm",
    planned=_planned,
    facts=Facts(output_names=("output", "mean", "std"), written_beside_first=True),
    infer=_infer_layer,
    complete=_complete_layer,
    grad=_layer_grad,
    outputs=3,
    visible=lambda *, output_mean_var: 3 if output_mean_var else 1,
    samples=[sample((2, 5), (5,), (5,)), sample((2, 4, 3), (4,), (4,), axis=1, eps=1e-3)],
)
def layer_norm(
    xp: Any,
    data: Any,
    gamma: Any,
    beta: Any,
    /,
    *,
    axis: int = -1,
    eps: float = 9.99999975e-06,
    output_mean_var: bool = False,
) -> tuple[Any, Any, Any]:
    """Normalize along an axis, then scale and shift.

    The further outputs are the mean and the standard deviation, with size 1 along the axis.
    """
    axis = axis % data.ndim
    normal, mean, deviation = standardize(xp, wide(data), (axis,), eps)
    xp.multiply(normal, along(gamma, axis, data.ndim), out=normal)
    xp.add(normal, along(beta, axis, data.ndim), out=normal)
    return tuple(t.astype(data.dtype, copy=False) for t in (normal, mean, deviation))


def _infer_same(g: TensorType, data: TensorType, gamma: TensorType, *moments: TensorType) -> tuple[TensorType, ...]:
    return data, gamma, gamma


@op(
    infer=_infer_same,
    outputs=3,
    samples=[sample((2, 3), (2, 3), (3,), (2, 1), (2, 1), low=0.5, axis=-1)],
)
def _hl_layer_norm_grad(
    xp: Any, g: Any, data: Any, gamma: Any, mean: Any, deviation: Any, /, *, axis: int
) -> tuple[Any, Any, Any]:
    """Gradients of LayerNorm's data, gamma and beta; `mean` and `deviation` are its further outputs."""
    axis = axis % data.ndim
    normal = (data - mean) / deviation
    axes = all_but(axis, data.ndim)
    into_data = standardize_grad(g * along(gamma, axis, data.ndim), normal, deviation, (axis,))
    return into_data, (g * normal).sum(axis=axes), g.sum(axis=axes)


def _complete_group(
    data: TensorType, gamma: TensorType, beta: TensorType, *, num_groups: int
) -> tuple[TensorType, TensorType, TensorType]:
    channels = size_along(data, 1)
    if isinstance(channels, int) and channels % num_groups:
        raise InferError("num_groups", f"{channels} channels do not divide into {num_groups} groups")
    shape = (num_groups,)
    return data, refined(gamma, shape, data.dtype, "gamma"), refined(beta, shape, data.dtype, "beta")


def _group_moments(data: TensorType, groups: Shape) -> TensorType:
    return data.with_shape((Dim.fresh() if data.shape is None else data.shape[0], *groups))


def _infer_group(data: TensorType, gamma: TensorType, beta: TensorType, *, num_groups: int) -> tuple[TensorType, ...]:
    _complete_group(data, gamma, beta, num_groups=num_groups)
    moments = _group_moments(data, (num_groups,))
    return data, moments, moments


def _normalize_groups(xp: Any, data: Any, gamma: Any, beta: Any, eps: float) -> tuple[Any, Any, Any]:
    """Normalize (N, C, ...) as (N, groups, rest), with as many groups as gamma has elements."""
    groups = gamma.shape[0]
    normal, mean, deviation = standardize(xp, wide(data).reshape(data.shape[0], groups, -1), (2,), eps)
    xp.multiply(normal, gamma.reshape(-1, 1), out=normal)
    xp.add(normal, beta.reshape(-1, 1), out=normal)
    parts = (normal.reshape(data.shape), mean.reshape(-1, groups), deviation.reshape(-1, groups))
    return tuple(t.astype(data.dtype, copy=False) for t in parts)


@op(
    name="GroupNorm",
    facts=Facts(output_names=("output", "mean", "std"), written_beside_first=True),
    infer=_infer_group,
    complete=_complete_group,
    grad=lambda F, g, ins, outs, *, output_mean_var: tuple(
        F._hl_group_norm_grad(g[0] if output_mean_var else g, ins[0], ins[1], outs[1], outs[2])
    ),
    outputs=3,
    visible=lambda *, output_mean_var: 3 if output_mean_var else 1,
    samples=[sample((2, 4, 3), (2,), (2,), num_groups=2), sample((2, 2, 2, 2), (1,), (1,))],
)
def group_norm(
    xp: Any,
    data: Any,
    gamma: Any,
    beta: Any,
    /,
    *,
    num_groups: int = 1,
    eps: float = 9.99999975e-06,
    output_mean_var: bool = False,
) -> tuple[Any, Any, Any]:
    """Normalize groups of channels of each example; gamma and beta have one element for each group.

    The further outputs are the mean and the standard deviation, both (N, num_groups).
    """
    return _normalize_groups(xp, data, gamma, beta, eps)


def _complete_instance(
    data: TensorType, gamma: TensorType, beta: TensorType
) -> tuple[TensorType, TensorType, TensorType]:
    return _complete_layer(data, gamma, beta, axis=1)


def _infer_instance(data: TensorType, gamma: TensorType, beta: TensorType) -> tuple[TensorType, ...]:
    _complete_instance(data, gamma, beta)
    moments = _group_moments(data, (size_along(data, 1),))
    return data, moments, moments


@op(
    name="InstanceNorm",
    infer=_infer_instance,
    complete=_complete_instance,
    grad=lambda F, g, ins, outs: tuple(F._hl_group_norm_grad(g, ins[0], ins[1], outs[1], outs[2])),
    outputs=3,
    visible=1,
    samples=[sample((2, 2, 3), (2,), (2,)), sample((2, 2, 2, 2), (2,), (2,), eps=1e-2)],
)
def instance_norm(xp: Any, data: Any, gamma: Any, beta: Any, /, *, eps: float = 0.00100000005) -> tuple[Any, Any, Any]:
    """Normalize each channel of each example, then scale and shift."""
    return _normalize_groups(xp, data, gamma, beta, eps)


@op(
    infer=_infer_same,
    outputs=3,
    samples=[sample((2, 4, 3), (2, 4, 3), (2,), (2, 2), (2, 2), low=0.5)],
)
def _hl_group_norm_grad(xp: Any, g: Any, data: Any, gamma: Any, mean: Any, deviation: Any, /) -> tuple[Any, Any, Any]:
    """Gradients of GroupNorm's or InstanceNorm's data, gamma and beta; gamma has one element for each group."""
    shape = (data.shape[0], gamma.shape[0], -1)
    head = g.reshape(shape)
    normal = (data.reshape(shape) - mean[..., None]) / deviation[..., None]
    into_data = standardize_grad(head * gamma.reshape(-1, 1), normal, deviation[..., None], (2,))
    return into_data.reshape(data.shape), (head * normal).sum(axis=(0, 2)), head.sum(axis=(0, 2))
