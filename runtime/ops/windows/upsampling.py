"""UpSampling by a whole factor: repeated elements, or a transposed convolution that interpolates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.registry import Facts, op, sample
from hybridlint.runtime.facts.types import InferError, Shape, TensorType, unknown_shape
from hybridlint.runtime.ops.type_rules import exact_quotient, refined, require_equal, require_rank
from hybridlint.runtime.ops.windows.convolution import convolve, spread, weigh
from hybridlint.runtime.ops.windows.geometry import Geometry
from hybridlint.runtime.ops.windows.products import spread_over_phases


def _geometry(scale: int) -> Geometry:
    kernel = 2 * scale - scale % 2
    return Geometry((kernel, kernel), (scale, scale), (1, 1), (scale // 2, scale // 2))


def _complete(*data: TensorType, scale: int, num_filter: int, sample_type: str) -> tuple[TensorType, ...]:
    if sample_type != "bilinear" or len(data) < 2:
        return data
    wanted = (num_filter, 1, *_geometry(scale).kernel)
    return data[0], refined(data[1], wanted, data[0].dtype, "weight")


def _infer(*data: TensorType, scale: int, num_filter: int, sample_type: str, multi_input_mode: str) -> TensorType:
    if sample_type not in {"nearest", "bilinear"}:
        raise InferError("sample_type", f"expected 'nearest' or 'bilinear', got {sample_type!r}")
    if multi_input_mode not in {"concat", "sum"}:
        raise InferError("multi_input_mode", f"expected 'concat' or 'sum', got {multi_input_mode!r}")
    require_rank(data[0], [4])
    batch, channels, height, width = data[0].shape or unknown_shape(4)
    if sample_type == "bilinear":
        if len(data) != 2:
            raise InferError("data", f"bilinear takes data and a weight, got {len(data)} inputs")
        _complete(*data, scale=scale, num_filter=num_filter, sample_type=sample_type)
        require_equal(num_filter, channels, "data", "number of channels")
        return data[0].with_shape((batch, num_filter, height * scale, width * scale))
    total = _channels(data, (height * scale, width * scale), multi_input_mode)
    return data[0].with_shape((batch, total, height * scale, width * scale))


def _channels(data: tuple[TensorType, ...], sizes: Shape, mode: str) -> DimLike:
    """Return the number of channels of the result. Raises InferError if an input's sizes do not divide `sizes`."""
    total: DimLike = 0
    for t in data:
        require_rank(t, [4])
        _, channels, height, width = t.shape or unknown_shape(4)
        if isinstance(sizes[0], int) and isinstance(height, int):
            factor = exact_quotient([sizes[0]], [height], "data")
            require_equal(sizes[1], width * factor, "data", "enlarged width")
        if mode == "sum":
            return Dim.fresh() if isinstance(channels, Dim) and channels.anonymous else channels
        total = total + channels
    return total


def _grad(
    F: Any,
    g: Any,
    ins: tuple[Any, ...],
    outs: tuple[Any, ...],
    *,
    scale: int,
    sample_type: str,
    multi_input_mode: str,
) -> tuple[Any, ...]:
    if sample_type == "bilinear":
        return tuple(F._hl_upsample_bilinear_grad(g, *ins, scale=scale))
    summed = multi_input_mode == "sum"
    return tuple(F._hl_upsample_nearest_grad(g, *ins, index=k, summed=summed) for k in range(len(ins)))


def _named_inputs(*, sample_type: str) -> Mapping[str, str]:
    return {"data": "", "weight": '["bilinear", {}]'} if sample_type == "bilinear" else {}


def _enlarged(xp: Any, data: Any, height: int, width: int) -> Any:
    return data.repeat(height // data.shape[2], axis=2).repeat(width // data.shape[3], axis=3)


def _over_phases(xp: Any, /, *data: Any, scale: int, sample_type: str, **params: Any) -> Any:
    """Compute UpSampling: its transposed convolution is one convolution for each phase of the strides."""
    if sample_type != "bilinear":
        return upsampling(xp, *data, scale=scale, sample_type=sample_type, **params)
    first, weight = data
    sizes = tuple(n * scale for n in first.shape[2:])
    return spread_over_phases(xp, first, weight, _geometry(scale), first.shape[1], sizes)


@op(
    name="UpSampling",
    native=_over_phases,
    infer=_infer,
    complete=_complete,
    grad=_grad,
    facts=Facts(named_inputs=_named_inputs),
    samples=[
        sample((1, 2, 2, 3), scale=2, sample_type="nearest"),
        sample((1, 2, 2, 2), (1, 1, 1, 1), scale=2, sample_type="nearest"),
        sample((1, 2, 2, 2), (1, 2, 1, 1), scale=2, sample_type="nearest", multi_input_mode="sum"),
        sample((1, 2, 2, 3), (2, 1, 4, 4), scale=2, sample_type="bilinear", num_filter=2),
        sample((1, 1, 2, 2), (1, 1, 5, 5), scale=3, sample_type="bilinear", num_filter=1),
    ],
)
def upsampling(
    xp: Any,
    /,
    *data: Any,
    scale: int,
    num_filter: int = 0,
    sample_type: Literal["bilinear", "nearest"],
    multi_input_mode: Literal["concat", "sum"] = "concat",
    workspace: int = 512,
) -> Any:
    """Enlarge (N, C, H, W) by `scale`.

    'nearest' repeats elements; further inputs are enlarged to the same size, then joined along the channels or summed.
    'bilinear' takes a weight (num_filter, 1, kernel, kernel) as second input.
    """
    height, width = (n * scale for n in data[0].shape[2:])
    if sample_type == "bilinear":
        first, weight = data
        return spread(xp, first, weight, _geometry(scale), first.shape[1], (height, width))
    parts = [_enlarged(xp, x, height, width) for x in data]
    if multi_input_mode == "concat":
        return xp.concatenate(parts, axis=1)
    result = parts[0]
    for part in parts[1:]:
        result += part
    return result


@op(
    infer=lambda *tensors, index: tensors[1 + index],
    samples=[
        sample((1, 3, 4, 4), (1, 2, 2, 2), (1, 1, 1, 1), index=1),
        sample((1, 2, 4, 4), (1, 2, 2, 2), (1, 2, 1, 4), index=0, summed=True),
    ],
)
def _hl_upsample_nearest_grad(xp: Any, /, *tensors: Any, index: int, summed: bool = False) -> Any:
    """Gradient of one input of UpSampling: the first tensor is that of the output, the others are the inputs."""
    like = tensors[1 + index]
    start = 0 if summed else sum(t.shape[1] for t in tensors[1 : 1 + index])
    g = tensors[0][:, start : start + like.shape[1]]
    rows, columns = g.shape[2] // like.shape[2], g.shape[3] // like.shape[3]
    return g.reshape(*like.shape[:3], rows, like.shape[3], columns).sum(axis=(3, 5))


@op(
    infer=lambda g, data, weight: (data, weight),
    outputs=2,
    samples=[sample((1, 2, 4, 6), (1, 2, 2, 3), (2, 1, 4, 4), scale=2)],
)
def _hl_upsample_bilinear_grad(xp: Any, g: Any, data: Any, weight: Any, /, *, scale: int) -> tuple[Any, Any]:
    """Gradients of bilinear UpSampling's data and weight."""
    shape, groups = _geometry(scale), data.shape[1]
    return convolve(xp, g, weight, shape, groups), weigh(xp, data, g, shape, groups)
