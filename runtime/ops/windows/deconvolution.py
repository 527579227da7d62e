"""Transposed convolution, which computes the data gradient of a convolution."""

from __future__ import annotations

from typing import Any, Literal

from hybridlint.runtime.facts.dims import DimLike
from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import InferError, Ints, Shape, TensorType
from hybridlint.runtime.ops.type_rules import refined
from hybridlint.runtime.ops.windows.convolution import channel_sum, convolve, divided, over_windows, spread, weigh
from hybridlint.runtime.ops.windows.geometry import Geometry, geometry
from hybridlint.runtime.ops.windows.products import spread_over_phases, weigh_products

_ATTRIBUTES = ("kernel", "stride", "dilate", "pad", "target_shape", "num_group", "layout")


def _complete(
    data: TensorType,
    weight: TensorType,
    *bias: TensorType,
    kernel: Ints,
    num_filter: int,
    num_group: int,
    layout: str | None,
) -> tuple[TensorType, ...]:
    shape = geometry(kernel, layout=layout)
    _, channels, _ = shape.sizes_of(data)
    divided(channels, num_group, "data")
    wanted = shape.arrange(channels, divided(num_filter, num_group, "num_filter"), kernel)
    biases = (refined(b, (num_filter,), data.dtype, "bias") for b in bias)
    return (data, refined(weight, wanted, data.dtype, "weight"), *biases)


def _target_pad(size: DimLike, extent: int, stride: int, target: int) -> int:
    """Return the padding that reduces the full result to the size `target`. Raises InferError if it is too small."""
    if not isinstance(size, int):
        return 0
    excess = (size - 1) * stride + extent - target
    if excess < 0:
        raise InferError("target_shape", f"{target} exceeds the {target + excess} that the windows reach")
    return (excess + 1) // 2


def _padded(shape: Geometry, sizes: Shape, target_shape: Ints) -> Geometry:
    """Return the geometry with the padding that a target shape implies."""
    if not any(target_shape):
        return shape
    pads = tuple(map(_target_pad, sizes, shape.extent, shape.stride, target_shape))
    return Geometry(shape.kernel, shape.stride, shape.dilate, pads, shape.channels_last)


def _sizes(shape: Geometry, sizes: Shape, adj: Ints, target_shape: Ints) -> Shape:
    """Return the spatial sizes of the result."""
    if any(target_shape):
        _padded(shape, sizes, target_shape)
        return target_shape
    extra = adj or (0,) * shape.rank
    if any(a >= s for a, s in zip(extra, shape.stride, strict=True)):
        raise InferError("adj", f"{extra} must be smaller than the stride {shape.stride}")
    rows = zip(sizes, shape.stride, shape.extent, shape.pad, extra, strict=True)
    return tuple((n + -1) * s + (e - 2 * p + a) for n, s, e, p, a in rows)


def _infer(
    data: TensorType,
    weight: TensorType,
    *bias: TensorType,
    kernel: Ints,
    stride: Ints,
    dilate: Ints,
    pad: Ints,
    adj: Ints,
    target_shape: Ints,
    num_filter: int,
    num_group: int,
    layout: str | None,
) -> TensorType:
    shape = geometry(kernel, stride, dilate, pad, layout)
    known = _complete(data, weight, *bias, kernel=kernel, num_filter=num_filter, num_group=num_group, layout=layout)
    batch, _, sizes = shape.sizes_of(data)
    return TensorType(shape.arrange(batch, num_filter, _sizes(shape, sizes, adj, target_shape)), known[1].dtype)


def _grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], **params: Any) -> tuple[Any, ...]:
    data, weight, *bias = ins
    known = {name: params[name] for name in _ATTRIBUTES}
    into_data = F._hl_deconv_data_grad(g, weight, data, **known)
    into_weight = F._hl_deconv_weight_grad(g, data, weight, **known)
    return (into_data, into_weight, *(channel_sum(F, g, params["layout"]) for _ in bias))


def _spatial(shape: Geometry, data: Any) -> Ints:
    """Return the sizes of the spatial axes of an array."""
    sizes: Ints = data.shape[1:-1] if shape.channels_last else data.shape[2:]
    return sizes


def _over_phases(
    xp: Any,
    data: Any,
    weight: Any,
    bias: Any = None,
    /,
    *,
    kernel: Ints,
    stride: Ints = (),
    dilate: Ints = (),
    pad: Ints = (),
    adj: Ints = (),
    target_shape: Ints = (),
    num_group: int = 1,
    no_bias: bool = True,
    layout: str | None = None,
    **_: Any,
) -> Any:
    """Transposed convolution as convolutions, one for each phase of the strides, with turned filters."""
    shape = geometry(kernel, stride, dilate, pad, layout)
    given = _spatial(shape, data)
    sizes = tuple(n for n in _sizes(shape, given, adj, target_shape) if isinstance(n, int))
    result = spread_over_phases(xp, data, weight, _padded(shape, given, target_shape), num_group, sizes)
    if bias is None or no_bias:
        return result
    return result + (bias if shape.channels_last else bias.reshape(-1, *(1,) * shape.rank))


def _data_over_windows(xp: Any, g: Any, weight: Any, data: Any, /, *, target_shape: Ints, **params: Any) -> Any:
    """Gradient of transposed convolution's data: a convolution of the heads."""
    pads = _pads(data, target_shape, **params)
    return over_windows(xp, g, weight, **{**params, "pad": pads}, num_filter=weight.shape[0])


def _weight_over_windows(xp: Any, g: Any, data: Any, weight: Any, /, *, target_shape: Ints, **params: Any) -> Any:
    """Gradient of transposed convolution's filters, in which heads and data have each other's part."""
    pads = _pads(data, target_shape, **params)
    return weigh_products(xp, data, g, weight, **{**params, "pad": pads})


def _pads(
    data: Any,
    target_shape: Ints,
    *,
    kernel: Ints,
    stride: Ints,
    dilate: Ints,
    pad: Ints,
    layout: str | None,
    num_group: int,
) -> Ints:
    """Return the padding that a target shape implies."""
    shape = geometry(kernel, stride, dilate, pad, layout)
    return _padded(shape, _spatial(shape, data), target_shape).pad


@op(
    name="Deconvolution",
    native=_over_phases,
    infer=_infer,
    complete=_complete,
    grad=_grad,
    active_inputs=lambda *, no_bias: ("data", "weight") if no_bias else ("data", "weight", "bias"),
    samples=[
        sample((1, 2, 3, 3), (2, 1, 3, 3), kernel=(3, 3), num_filter=1, stride=(2, 2), pad=(1, 1), adj=(1, 1)),
        sample((1, 2, 3, 3), (2, 3, 2, 2), (3,), kernel=(2, 2), num_filter=3, no_bias=False),
        sample((2, 4, 3), (4, 1, 3), kernel=(3,), num_filter=2, num_group=2, dilate=(2,)),
        sample((1, 2, 3, 3), (2, 1, 3, 3), kernel=(3, 3), num_filter=1, stride=(2, 2), pad=(1, 1), target_shape=(5, 5)),
    ],
)
def deconvolution(
    xp: Any,
    data: Any,
    weight: Any,
    bias: Any = None,
    /,
    *,
    kernel: Ints,
    stride: Ints = (),
    dilate: Ints = (),
    pad: Ints = (),
    adj: Ints = (),
    target_shape: Ints = (),
    num_filter: int,
    num_group: int = 1,
    workspace: int = 512,
    no_bias: bool = True,
    cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
    cudnn_off: bool = False,
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None,
) -> Any:
    """Apply the transposed convolution of (N, C, ...) with filters (C, num_filter / num_group, *kernel); add the bias.

    `adj` enlarges the result at the end; `target_shape` gives its sizes instead of `pad` and `adj`.
    """
    shape = geometry(kernel, stride, dilate, pad, layout)
    source, filters = shape.channels_first(xp, data), shape.channels_first(xp, weight)
    sizes = tuple(n for n in _sizes(shape, source.shape[2:], adj, target_shape) if isinstance(n, int))
    shape = _padded(shape, source.shape[2:], target_shape)
    result = spread(xp, source, filters, shape, num_group, sizes)
    if bias is not None and not no_bias:
        xp.add(result, bias.reshape(-1, *(1,) * shape.rank), out=result)
    return shape.restored(xp, result)


_SAMPLE: dict[str, Any] = {
    "kernel": (3, 3),
    "stride": (2, 2),
    "dilate": (),
    "pad": (1, 1),
    "target_shape": (),
    "num_group": 1,
    "layout": None,
}


@op(
    infer=lambda g, weight, data: data,
    native=_data_over_windows,
    samples=[sample((1, 3, 5, 5), (2, 3, 3, 3), (1, 2, 3, 3), **_SAMPLE)],
)
def _hl_deconv_data_grad(
    xp: Any,
    g: Any,
    weight: Any,
    data: Any,
    /,
    *,
    kernel: Ints,
    stride: Ints,
    dilate: Ints,
    pad: Ints,
    target_shape: Ints,
    num_group: int,
    layout: str | None,
) -> Any:
    """Return the gradient with respect to Deconvolution's data from that of its output."""
    shape = geometry(kernel, stride, dilate, pad, layout)
    sizes = shape.channels_first(xp, data).shape[2:]
    shape = _padded(shape, sizes, target_shape)
    heads, filters = shape.channels_first(xp, g), shape.channels_first(xp, weight)
    return shape.restored(xp, convolve(xp, heads, filters, shape, num_group))


@op(
    infer=lambda g, data, weight: weight,
    native=_weight_over_windows,
    samples=[sample((1, 3, 5, 5), (1, 2, 3, 3), (2, 3, 3, 3), **_SAMPLE)],
)
def _hl_deconv_weight_grad(
    xp: Any,
    g: Any,
    data: Any,
    weight: Any,
    /,
    *,
    kernel: Ints,
    stride: Ints,
    dilate: Ints,
    pad: Ints,
    target_shape: Ints,
    num_group: int,
    layout: str | None,
) -> Any:
    """Return the gradient with respect to Deconvolution's weight from that of its output."""
    shape = geometry(kernel, stride, dilate, pad, layout)
    source = shape.channels_first(xp, data)
    shape = _padded(shape, source.shape[2:], target_shape)
    return shape.restored(xp, weigh(xp, source, shape.channels_first(xp, g), shape, num_group))
