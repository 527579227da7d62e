"""Conversion of the windows of images to columns of a matrix, and back."""

from __future__ import annotations

from math import prod
from typing import Any

from hybridlint.runtime.facts.dims import Dim, product
from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import Ints, TensorType
from hybridlint.runtime.ops.type_rules import exact_quotient, require_equal, require_rank
from hybridlint.runtime.ops.windows.geometry import gather, geometry, padded, scatter


def _infer_columns(data: TensorType, *, kernel: Ints, stride: Ints, dilate: Ints, pad: Ints) -> TensorType:
    shape = geometry(kernel, stride, dilate, pad)
    batch, channels, sizes = shape.sizes_of(data)
    return data.with_shape((batch, channels * product(kernel), product(shape.count(sizes))))


_WINDOWS: dict[str, Any] = {"kernel": (2, 2), "stride": (2, 1), "pad": (1, 0)}


@op(
    infer=_infer_columns,
    grad=lambda F, g, ins, outs, **params: (F._hl_im2col_grad(g, ins[0], **params),),
    samples=[sample((1, 2, 3, 3), kernel=(2, 2)), sample((2, 1, 4, 3), **_WINDOWS)],
)
def im2col(xp: Any, data: Any, /, *, kernel: Ints, stride: Ints = (), dilate: Ints = (), pad: Ints = ()) -> Any:
    """Return the windows of (N, C, ...) as columns: (N, C * kernel elements, number of windows)."""
    shape = geometry(kernel, stride, dilate, pad)
    windows = gather(xp, padded(xp, data, shape.pad), shape, shape.count_of(data.shape[2:]))
    return windows.reshape(data.shape[0], data.shape[1] * prod(kernel), -1)


@op(
    infer=lambda g, data: data,
    grad=lambda F, gg, ins, outs, **params: (F.im2col(gg, **params), None),
    samples=[sample((1, 4, 4), (1, 1, 3, 3), kernel=(2, 2))],
)
def _hl_im2col_grad(
    xp: Any, g: Any, data: Any, /, *, kernel: Ints, stride: Ints = (), dilate: Ints = (), pad: Ints = ()
) -> Any:
    """Return the gradient with respect to im2col's data: `g` summed over the windows that contain each element."""
    return _folded(xp, g, data.shape[2:], kernel, stride, dilate, pad)


def _folded(xp: Any, columns: Any, sizes: Ints, kernel: Ints, stride: Ints, dilate: Ints, pad: Ints) -> Any:
    shape = geometry(kernel, stride, dilate, pad)
    counts = shape.count_of(sizes)
    return scatter(xp, columns.reshape(columns.shape[0], -1, *kernel, *counts), shape, sizes).copy()


def _infer_image(
    data: TensorType, *, output_size: Ints, kernel: Ints, stride: Ints, dilate: Ints, pad: Ints
) -> TensorType:
    shape = geometry(kernel, stride, dilate, pad)
    require_rank(data, [3])
    batch, rows, columns = data.shape or (Dim.fresh(), Dim.fresh(), Dim.fresh())
    require_equal(product(shape.count(output_size)), columns, "data", "number of windows")
    return data.with_shape((batch, exact_quotient([rows], kernel, "data"), *output_size))


@op(
    infer=_infer_image,
    grad=lambda F, g, ins, outs, *, output_size, **params: (F.im2col(g, **params),),
    samples=[
        sample((1, 4, 4), output_size=(3, 3), kernel=(2, 2)),
        sample((2, 4, 6), output_size=(4, 3), **_WINDOWS),
    ],
)
def col2im(
    xp: Any,
    data: Any,
    /,
    *,
    output_size: Ints,
    kernel: Ints,
    stride: Ints = (),
    dilate: Ints = (),
    pad: Ints = (),
) -> Any:
    """Sum overlapping columns (N, C * kernel elements, number of windows) into images (N, C, *output_size)."""
    return _folded(xp, data, output_size, kernel, stride, dilate, pad)
