"""Layers on integers of 8 bits: products are summed as integers of 32."""

from __future__ import annotations

from typing import Any, Literal

from hybridlint.runtime.facts.registry import Facts, op, sample, zero_gradient
from hybridlint.runtime.facts.types import Ints, TensorType
from hybridlint.runtime.ops.nn.fully_connected import complete as complete_dense
from hybridlint.runtime.ops.nn.fully_connected import infer as infer_dense
from hybridlint.runtime.ops.quantized.scales import (
    BEYOND,
    END,
    LARGEST,
    ends,
    extent,
    quantized_sample,
    ranged,
    single,
)
from hybridlint.runtime.ops.type_rules import refined
from hybridlint.runtime.ops.windows.convolution import complete as complete_windows
from hybridlint.runtime.ops.windows.convolution import convolution
from hybridlint.runtime.ops.windows.convolution import infer as infer_windows
from hybridlint.runtime.ops.windows.pooling import infer_pooling, pooling

_NAMES = Facts(output_names=("output", "min_output", "max_output"))
_RANGES = ("min_data", "max_data", "min_weight", "max_weight")


def _inputs(*, no_bias: bool) -> tuple[str, ...]:
    if no_bias:
        return ("data", "weight", *_RANGES)
    return ("data", "weight", "bias", *_RANGES, "min_bias", "max_bias")


def _plain(*ins: TensorType) -> tuple[TensorType, ...]:
    """Return the types of data, weight and bias as float32. The rules of layers need one dtype."""
    parts = ins[:3]
    if len(ins) < 9 or parts[2] == TensorType():
        parts = parts[:2]
    return tuple(part.with_dtype("float32") for part in parts)


def _completed(ins: tuple[TensorType, ...], plain: tuple[TensorType, ...]) -> tuple[TensorType, ...]:
    """Return the inputs with the shapes of a layer's weight and bias, and the types of ranges."""
    shapes = [t.shape for t in plain] + [t.shape for t in ins[len(plain) : 3]]
    dtypes = (ins[0].dtype, "int8", "int8")
    parts = [TensorType(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=False)]
    return (*parts, *(END for _ in ins[3:]))


def _products(
    xp: Any, sums: Any, data: Any, ranges: tuple[Any, ...], bias: Any, bias_ranges: tuple[Any, Any]
) -> tuple[Any, ...]:
    """Return sums of products and the ends of their range, with a bias that is converted to their step."""
    kind = data.dtype.name
    data_extent, weight_extent = float(extent(xp, *ranges[:2])), float(extent(xp, *ranges[2:]))
    if bias is not None:
        step = (data_extent / BEYOND[kind]) * (weight_extent / BEYOND["int8"])
        factor = float(extent(xp, *bias_ranges)) / BEYOND["int8"] / step
        sums = sums + xp.trunc(bias.astype("float64") * factor)
    magnitude = LARGEST["int32"] * (data_extent / LARGEST[kind]) * (weight_extent / LARGEST["int8"])
    return sums.astype("int64").astype("int32"), *ends(xp, magnitude)


_DENSE = ("int8", "int8", "int8")


def _infer_dense(*ins: TensorType, num_hidden: int, flatten: bool) -> tuple[TensorType, ...]:
    return ranged(infer_dense(*_plain(*ins), num_hidden=num_hidden, flatten=flatten).shape, "int32")


def _complete_dense(*ins: TensorType, num_hidden: int, flatten: bool) -> tuple[TensorType, ...]:
    return _completed(ins, complete_dense(*_plain(*ins), num_hidden=num_hidden, flatten=flatten))


@op(
    infer=_infer_dense,
    complete=_complete_dense,
    grad=zero_gradient,
    outputs=3,
    active_inputs=_inputs,
    facts=_NAMES,
    samples=[
        quantized_sample((2, 3), (4, 3), (4,), dtypes=_DENSE, ranges=6, num_hidden=4),
        quantized_sample((2, 3), (4, 3), (4,), dtypes=("uint8", "int8", "int8"), ranges=6, num_hidden=4),
    ],
)
def _contrib_quantized_fully_connected(
    xp: Any,
    data: Any,
    weight: Any = None,
    bias: Any = None,
    min_data: Any = None,
    max_data: Any = None,
    min_weight: Any = None,
    max_weight: Any = None,
    min_bias: Any = None,
    max_bias: Any = None,
    /,
    *,
    num_hidden: int,
    no_bias: bool = False,
    flatten: bool = True,
) -> tuple[Any, ...]:
    """Multiply integers by the transposed weight and add the bias, as integers of 32 bits with their range."""
    rows = data.reshape(data.shape[0], -1) if flatten else data
    sums = rows.astype("float64") @ weight.T.astype("float64")
    ranges = (min_data, max_data, min_weight, max_weight)
    return _products(xp, sums, data, ranges, None if no_bias else bias, (min_bias, max_bias))


def _infer_windows(*ins: TensorType, **params: Any) -> tuple[TensorType, ...]:
    return ranged(infer_windows(*_plain(*ins), **_of_windows(params)).shape, "int32")


def _complete_windows(*ins: TensorType, **params: Any) -> tuple[TensorType, ...]:
    known = {name: value for name, value in _of_windows(params).items() if name in _COMPLETING}
    return _completed(ins, complete_windows(*_plain(*ins), **known))


_COMPLETING = frozenset(complete_windows.__code__.co_varnames)
_INFERRING = frozenset(infer_windows.__code__.co_varnames)


def _of_windows(params: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name in _INFERRING}


@op(
    infer=_infer_windows,
    complete=_complete_windows,
    grad=zero_gradient,
    outputs=3,
    active_inputs=_inputs,
    facts=_NAMES,
    samples=[
        quantized_sample(
            (1, 2, 5, 5),
            (3, 2, 3, 3),
            (3,),
            dtypes=("uint8", "int8", "int8"),
            ranges=6,
            kernel=(3, 3),
            num_filter=3,
            pad=(1, 1),
            stride=(2, 2),
        )
    ],
)
def _contrib_quantized_conv(
    xp: Any,
    data: Any,
    weight: Any = None,
    bias: Any = None,
    min_data: Any = None,
    max_data: Any = None,
    min_weight: Any = None,
    max_weight: Any = None,
    min_bias: Any = None,
    max_bias: Any = None,
    /,
    *,
    kernel: Ints,
    stride: Ints = (),
    dilate: Ints = (),
    pad: Ints = (),
    num_filter: int,
    num_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
    cudnn_off: bool = False,
    layout: Literal["NCHW"] | None = None,
) -> tuple[Any, ...]:
    """Correlate integers with filters and add the bias, as integers of 32 bits with their range."""
    numbers, filters = data.astype("float64"), weight.astype("float64")
    windows = {"kernel": kernel, "stride": stride, "dilate": dilate, "pad": pad}
    sums = xp.rint(convolution(xp, numbers, filters, num_filter=num_filter, num_group=num_group, **windows))
    shifts = None if bias is None or no_bias else bias.reshape(-1, *(1,) * len(kernel))
    if data.dtype == "int8":
        # MXNet has this one on GPUs only.
        return _products(xp, sums, data, (min_data, max_data, min_weight, max_weight), shifts, (min_bias, max_bias))
    if shifts is not None:
        # On CPUs MXNet adds the integers of the bias as they are, whatever their range.
        sums = sums + shifts
    # MXNet's range of the result is that of integers with a sign, for others too.
    magnitude = LARGEST["int32"] * float(extent(xp, min_data, max_data)) * float(extent(xp, min_weight, max_weight))
    return sums.astype("int64").astype("int32"), *ends(xp, magnitude / LARGEST["int8"] ** 2)


_DATA = ("int8",)


def _complete_data(data: TensorType, low: TensorType, high: TensorType, /) -> tuple[TensorType, ...]:
    return data, END, END


def _infer_pooled(data: TensorType, low: TensorType, high: TensorType, /, **params: Any) -> tuple[TensorType, ...]:
    known = {name: value for name, value in params.items() if name in infer_pooling.__code__.co_varnames}
    return ranged(infer_pooling(data.with_dtype("float32"), **known).shape, data.dtype or "int8")


@op(
    infer=_infer_pooled,
    complete=_complete_data,
    grad=zero_gradient,
    outputs=3,
    facts=_NAMES,
    samples=[
        quantized_sample((1, 2, 4, 4), dtypes=_DATA, ranges=2, kernel=(2, 2), stride=(2, 2)),
        quantized_sample((1, 2, 5, 5), dtypes=_DATA, ranges=2, kernel=(3, 3), pad=(1, 1), pool_type="avg"),
        quantized_sample((1, 2, 4, 4), dtypes=_DATA, ranges=2, kernel=(2, 2), global_pool=True, pool_type="avg"),
    ],
)
def _contrib_quantized_pooling(
    xp: Any,
    data: Any,
    min_data: Any,
    max_data: Any,
    /,
    *,
    kernel: Ints = (),
    pool_type: Literal["avg", "lp", "max", "sum"] = "max",
    global_pool: bool = False,
    cudnn_off: bool = False,
    pooling_convention: Literal["full", "same", "valid"] = "valid",
    stride: Ints = (),
    pad: Ints = (),
    p_value: int | None = None,
    count_include_pad: bool | None = None,
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None,
) -> tuple[Any, ...]:
    """Pool integers by maximum or mean; means are rounded."""
    numbers = data.astype("float64")
    found = pooling(
        xp,
        numbers,
        kernel=kernel,
        pool_type=pool_type,
        global_pool=global_pool,
        pooling_convention=pooling_convention,
        stride=stride,
        pad=pad,
        count_include_pad=count_include_pad,
        layout=layout,
    )
    return xp.rint(found).astype(data.dtype), single(xp, min_data), single(xp, max_data)


def _complete_table(
    data: TensorType, weight: TensorType, low: TensorType, high: TensorType, /, *, input_dim: int, output_dim: int
) -> tuple[TensorType, ...]:
    return data, refined(weight, (input_dim, output_dim), "int8", "weight"), END, END


def _infer_rows(
    data: TensorType, weight: TensorType, low: TensorType, high: TensorType, /, *, input_dim: int, output_dim: int
) -> tuple[TensorType, ...]:
    _complete_table(data, weight, low, high, input_dim=input_dim, output_dim=output_dim)
    return ranged(None if data.shape is None else (*data.shape, output_dim), "int8")


@op(
    infer=_infer_rows,
    complete=_complete_table,
    grad=zero_gradient,
    outputs=3,
    facts=Facts(output_names=_NAMES.output_names, indices=("data",)),
    samples=[
        sample(
            (3,),
            (4, 2),
            (1,),
            (1,),
            low=0,
            high=3,
            dtypes=("float32", "int8", "float32", "float32"),
            input_dim=4,
            output_dim=2,
        )
    ],
)
def _contrib_quantized_embedding(
    xp: Any,
    data: Any,
    weight: Any,
    min_weight: Any,
    max_weight: Any,
    /,
    *,
    input_dim: int,
    output_dim: int,
    dtype: str = "float32",
    sparse_grad: bool = False,
) -> tuple[Any, ...]:
    """Replace each index by its row of integers."""
    rows = weight[xp.clip(data.astype("int64"), 0, input_dim - 1)]
    return rows, single(xp, min_weight), single(xp, max_weight)
