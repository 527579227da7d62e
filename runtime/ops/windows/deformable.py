"""Deformable convolutions: offsets move each element of each window to a fractional position."""

from __future__ import annotations

from typing import Any, Literal

from hybridlint.runtime.facts.dims import Dim, product
from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import InferError, Ints, Shape, TensorType
from hybridlint.runtime.ops.type_rules import exact_quotient, refined
from hybridlint.runtime.ops.vision.bilinear import Corner, corners, pull, read
from hybridlint.runtime.ops.windows.convolution import channel_sum
from hybridlint.runtime.ops.windows.geometry import Geometry, geometry

_WINDOWS = ("kernel", "stride", "dilate", "pad")


def _geometry(kernel: Ints, stride: Ints, dilate: Ints, pad: Ints, layout: str | None = None) -> Geometry:
    if len(kernel) != 2:
        raise InferError("kernel", f"expected 2 spatial dimensions, got {len(kernel)}")
    if layout not in {None, "NCHW"}:
        raise InferError("layout", f"expected NCHW, got {layout}")
    return geometry(kernel, stride, dilate, pad)


def _weights(
    data: TensorType, weight: TensorType, bias: tuple[TensorType, ...], kernel: Ints, num_filter: int, num_group: int
) -> tuple[TensorType, ...]:
    """Return the types of weight and bias, completed from the data's."""
    channels = Dim.fresh() if data.shape is None else data.shape[1]
    exact_quotient([num_filter], [num_group], "num_filter")
    wanted = (num_filter, exact_quotient([channels], [num_group], "data"), *kernel)
    biases = (refined(b, (num_filter,), data.dtype, "bias") for b in bias)
    return (refined(weight, wanted, data.dtype, "weight"), *biases)


def _complete(
    data: TensorType,
    offset: TensorType,
    weight: TensorType,
    *bias: TensorType,
    kernel: Ints,
    num_filter: int,
    num_group: int,
) -> tuple[TensorType, ...]:
    return (data, offset, *_weights(data, weight, bias, kernel, num_filter, num_group))


def _complete_modulated(
    data: TensorType,
    offset: TensorType,
    mask: TensorType,
    weight: TensorType,
    *bias: TensorType,
    kernel: Ints,
    num_filter: int,
    num_group: int,
) -> tuple[TensorType, ...]:
    return (data, offset, mask, *_weights(data, weight, bias, kernel, num_filter, num_group))


def _infer_windows(
    data: TensorType, shape: Geometry, num_deformable_group: int, numbers: dict[str, tuple[TensorType, int]]
) -> Shape:
    """Return the batch size and the number of windows along both axes.

    `numbers` maps the names of further inputs to their type and to how many values they hold per window element. Raises
    InferError if their shapes do not fit.
    """
    batch, _, sizes = shape.sizes_of(data)
    counts = shape.count(sizes)
    for name, (given, each) in numbers.items():
        refined(given, (batch, each * num_deformable_group * product(shape.kernel), *counts), data.dtype, name)
    return (batch, *counts)


def _infer(
    data: TensorType,
    offset: TensorType,
    weight: TensorType,
    *bias: TensorType,
    kernel: Ints,
    stride: Ints,
    dilate: Ints,
    pad: Ints,
    num_filter: int,
    num_group: int,
    num_deformable_group: int,
    layout: str | None,
) -> TensorType:
    shape = _geometry(kernel, stride, dilate, pad, layout)
    batch, *counts = _infer_windows(data, shape, num_deformable_group, {"offset": (offset, 2)})
    known = _weights(data, weight, bias, kernel, num_filter, num_group)
    return TensorType((batch, num_filter, *counts), known[0].dtype)


def _infer_modulated(
    data: TensorType,
    offset: TensorType,
    mask: TensorType,
    weight: TensorType,
    *bias: TensorType,
    kernel: Ints,
    stride: Ints,
    dilate: Ints,
    pad: Ints,
    num_filter: int,
    num_group: int,
    num_deformable_group: int,
    layout: str | None,
) -> TensorType:
    shape = _geometry(kernel, stride, dilate, pad, layout)
    batch, *counts = _infer_windows(data, shape, num_deformable_group, {"offset": (offset, 2), "mask": (mask, 1)})
    known = _weights(data, weight, bias, kernel, num_filter, num_group)
    return TensorType((batch, num_filter, *counts), known[0].dtype)


def _around(xp: Any, data: Any, offset: Any, shape: Geometry, groups: int, extend: bool) -> list[Corner]:
    """Return the elements around the moved position of each window element.

    Their arrays have the shape (N * groups, kernel elements * windows).
    """
    counts = offset.shape[2:]
    moved = offset.reshape(len(data), groups, *shape.kernel, 2, *counts)
    places = []
    for axis in (0, 1):
        step, start = xp.arange(counts[axis]) * shape.stride[axis], xp.arange(shape.kernel[axis]) * shape.dilate[axis]
        inner, outer = [1, 1, 1, 1], [1, 1, 1, 1]
        inner[axis], outer[axis + 2] = len(start), len(step)
        base = start.reshape(inner) + step.reshape(outer) - shape.pad[axis]
        places.append((moved[:, :, :, :, axis] + base).reshape(len(data) * groups, -1))
    return list(corners(xp, places[0], places[1], data.shape[2:], extend=extend))


def _columns(values: Any, mask: Any, data: Any, groups: int, windows: int) -> Any:
    """Return values reshaped to (N, groups, channels * kernel elements, windows), times the mask unless it is None."""
    weighed = values if mask is None else values * mask.reshape(len(values), 1, -1)
    return weighed.reshape(len(data), groups, -1, windows)


def _convolve(
    xp: Any, data: Any, offset: Any, mask: Any, weight: Any, bias: Any, shape: Geometry, groups: Ints, no_bias: bool
) -> Any:
    """Return the deformable convolution; `groups` are the numbers of channel groups and of offset groups.

    With a mask, positions just outside of the image fade to 0; without one, they read the last row or column.
    """
    counts = offset.shape[2:]
    around = _around(xp, data, offset, shape, groups[1], mask is None)
    values = read(xp, data.reshape(-1, data.shape[1] // groups[1], *data.shape[2:]), iter(around))
    columns = _columns(values, mask, data, groups[0], counts[0] * counts[1])
    rows = weight.reshape(groups[0], -1, columns.shape[2])
    result = xp.matmul(rows, columns).reshape(len(data), len(weight), *counts)
    return result if bias is None or no_bias else result + bias.reshape(-1, 1, 1)


def _arguments(params: dict[str, Any]) -> dict[str, Any]:
    return {name: params[name] for name in (*_WINDOWS, "num_group", "num_deformable_group")}


def _grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], **params: Any) -> tuple[Any, ...]:
    data, offset, weight, *bias = ins
    pulled = F._hl_deformable_grad(g, data, offset, weight, **_arguments(params))
    return (*pulled, *(channel_sum(F, g, None) for _ in bias))


def _grad_modulated(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], **params: Any) -> tuple[Any, ...]:
    data, offset, mask, weight, *bias = ins
    pulled = F._hl_modulated_deformable_grad(g, data, offset, mask, weight, **_arguments(params))
    return (*pulled, *(channel_sum(F, g, None) for _ in bias))


_STRIDED: dict[str, Any] = {"kernel": (2, 3), "stride": (2, 1), "pad": (1, 1), "num_filter": 2}
_GROUPED: dict[str, Any] = {
    "kernel": (2, 2),
    "dilate": (2, 1),
    "num_filter": 4,
    "num_group": 2,
    "num_deformable_group": 2,
    "no_bias": True,
}


@op(
    name="_contrib_DeformableConvolution",
    infer=_infer,
    complete=_complete,
    grad=_grad,
    active_inputs=lambda *, no_bias: ("data", "offset", "weight") if no_bias else ("data", "offset", "weight", "bias"),
    samples=[
        sample((2, 2, 4, 3), (2, 12, 3, 3), (2, 2, 2, 3), (2,), **_STRIDED),
        sample((1, 4, 4, 4), (1, 16, 2, 3), (4, 2, 2, 2), **_GROUPED),
    ],
)
def deformable_convolution(
    xp: Any,
    data: Any,
    offset: Any,
    weight: Any,
    bias: Any = None,
    /,
    *,
    kernel: Ints,
    stride: Ints = (),
    dilate: Ints = (),
    pad: Ints = (),
    num_filter: int,
    num_group: int = 1,
    num_deformable_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    layout: Literal["NCDHW", "NCHW", "NCW"] | None = None,
) -> Any:
    """Convolve (N, C, height, width) with windows whose elements are moved by offsets (y, x).

    Offsets are (N, 2 * deformable groups * kernel elements, rows, columns). Positions outside of the data read 0.
    """
    shape, groups = _geometry(kernel, stride, dilate, pad), (num_group, num_deformable_group)
    return _convolve(xp, data, offset, None, weight, bias, shape, groups, no_bias)


@op(
    name="_contrib_ModulatedDeformableConvolution",
    infer=_infer_modulated,
    complete=_complete_modulated,
    grad=_grad_modulated,
    active_inputs=lambda *, no_bias: ("data", "offset", "mask", "weight", "bias")[: 4 if no_bias else 5],
    samples=[
        sample((2, 2, 4, 3), (2, 12, 3, 3), (2, 6, 3, 3), (2, 2, 2, 3), (2,), **_STRIDED),
        sample((1, 4, 4, 4), (1, 16, 2, 3), (1, 8, 2, 3), (4, 2, 2, 2), **_GROUPED),
    ],
)
def modulated_deformable_convolution(
    xp: Any,
    data: Any,
    offset: Any,
    mask: Any,
    weight: Any,
    bias: Any = None,
    /,
    *,
    kernel: Ints,
    stride: Ints = (),
    dilate: Ints = (),
    pad: Ints = (),
    num_filter: int,
    num_group: int = 1,
    num_deformable_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    im2col_step: int = 64,
    layout: Literal["NCDHW", "NCHW", "NCW"] | None = None,
) -> Any:
    """Deformable convolution that also multiplies each element of each window by a mask.

    The mask is (N, deformable groups * kernel elements, rows, columns). MXNet has its gradient on GPUs only.
    """
    shape, groups = _geometry(kernel, stride, dilate, pad), (num_group, num_deformable_group)
    return _convolve(xp, data, offset, mask, weight, bias, shape, groups, no_bias)


def _pull(
    xp: Any, g: Any, data: Any, offset: Any, mask: Any, weight: Any, shape: Geometry, groups: Ints
) -> tuple[Any, Any, Any, Any]:
    """Return the gradients with respect to data, offset, mask (None without one) and weight."""
    parts = data.reshape(-1, data.shape[1] // groups[1], *data.shape[2:])
    around = _around(xp, data, offset, shape, groups[1], mask is None)
    values = read(xp, parts, iter(around))
    heads = g.reshape(len(data), groups[0], -1, g[0, 0].size)
    columns = _columns(values, mask, data, groups[0], heads.shape[3])
    into_weight = xp.matmul(heads, columns.swapaxes(2, 3)).sum(axis=0).reshape(weight.shape)
    rows = weight.reshape(groups[0], -1, columns.shape[2])
    into_values = xp.matmul(rows.swapaxes(1, 2), heads).reshape(values.shape)
    into_mask = None
    if mask is not None:
        into_mask = (into_values * values).sum(axis=1).reshape(mask.shape)
        into_values = into_values * mask.reshape(len(values), 1, -1)
    into_data, into_y, into_x = pull(xp, into_values, parts, iter(around))
    pairs = [into.reshape(len(data), groups[1], *shape.kernel, *offset.shape[2:]) for into in (into_y, into_x)]
    into_offset = xp.stack(pairs, axis=4).reshape(offset.shape).astype(offset.dtype, copy=False)
    return into_data.reshape(data.shape), into_offset, into_mask, into_weight


@op(
    infer=lambda g, data, offset, weight: (data, offset, weight),
    outputs=3,
    samples=[
        sample(
            (1, 2, 2, 2),
            (1, 2, 3, 2),
            (1, 8, 2, 2),
            (2, 2, 2, 2),
            kernel=(2, 2),
            stride=(1, 1),
            dilate=(1, 1),
            pad=(0, 1),
            num_group=1,
            num_deformable_group=1,
        )
    ],
)
def _hl_deformable_grad(
    xp: Any,
    g: Any,
    data: Any,
    offset: Any,
    weight: Any,
    /,
    *,
    kernel: Ints,
    stride: Ints,
    dilate: Ints,
    pad: Ints,
    num_group: int,
    num_deformable_group: int,
) -> tuple[Any, Any, Any]:
    """Return the gradients with respect to DeformableConvolution's data, offset and weight."""
    shape, groups = _geometry(kernel, stride, dilate, pad), (num_group, num_deformable_group)
    into_data, into_offset, _, into_weight = _pull(xp, g, data, offset, None, weight, shape, groups)
    return into_data, into_offset, into_weight


@op(
    infer=lambda g, data, offset, mask, weight: (data, offset, mask, weight),
    outputs=4,
    samples=[
        sample(
            (1, 2, 2, 2),
            (1, 2, 3, 2),
            (1, 8, 2, 2),
            (1, 4, 2, 2),
            (2, 2, 2, 2),
            kernel=(2, 2),
            stride=(1, 1),
            dilate=(1, 1),
            pad=(0, 1),
            num_group=1,
            num_deformable_group=1,
        )
    ],
)
def _hl_modulated_deformable_grad(
    xp: Any,
    g: Any,
    data: Any,
    offset: Any,
    mask: Any,
    weight: Any,
    /,
    *,
    kernel: Ints,
    stride: Ints,
    dilate: Ints,
    pad: Ints,
    num_group: int,
    num_deformable_group: int,
) -> tuple[Any, Any, Any, Any]:
    """Return the gradients with respect to ModulatedDeformableConvolution's data, offset, mask and weight."""
    shape, groups = _geometry(kernel, stride, dilate, pad), (num_group, num_deformable_group)
    return _pull(xp, g, data, offset, mask, weight, shape, groups)
