"""Layers: products, windows, normalization, softmax, reductions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hybridlint.runtime.contrib.onnx.onnx2mx.node import Node
from hybridlint.runtime.contrib.onnx.onnx2mx.reading import Read, reads
from hybridlint.runtime.symbol.symbol import Symbol


@reads("MatMul")
def _matmul(node: Node) -> Symbol:
    left, right = node.shape, node.shape_of(node.input(1))
    if len(left) >= 2 and len(right) == 2:
        return node.call("dot", node.data, node.input(1))
    if len(left) == len(right) >= 3 and left[:-2] == right[:-2]:
        return node.call("batch_dot", node.data, node.input(1))
    return node.call("_npi_matmul", node.data, node.input(1))


@reads("Gemm")
def _gemm(node: Node) -> Symbol:
    given = node.attributes
    alpha, beta = given.get("alpha", 1.0), given.get("beta", 1.0)
    rows = node.shape_of(node.input(1))[0]
    plain = alpha == beta == 1 and given.get("transB") and not given.get("transA") and isinstance(rows, int)
    if plain and not node.has(2):
        return node.call("FullyConnected", node.data, node.input(1), num_hidden=rows, no_bias=True, flatten=False)
    if plain and node.shape_of(node.input(2)) == (rows,):
        return node.call("FullyConnected", *(node.input(k) for k in range(3)), num_hidden=rows, flatten=False)
    transposed = {"transpose_a": bool(given.get("transA")), "transpose_b": bool(given.get("transB"))}
    result = _times(node, node.call("dot", node.data, node.input(1), **transposed), alpha)
    return node.call("broadcast_add", result, _times(node, node.input(2), beta)) if node.has(2) else result


def _times(node: Node, value: Symbol, factor: float) -> Symbol:
    return value if factor == 1 else node.call("_mul_scalar", value, scalar=float(factor))


@reads("Einsum")
def _einsum(node: Node) -> Symbol:
    parts = [node.input(k) for k in range(len(node.inputs))]
    return node.call("_npi_einsum", *parts, subscripts=node.attributes["equation"])


def _pads(node: Node, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if node.attributes.get("auto_pad", "NOTSET") not in {"NOTSET", "VALID"}:
        node.refuse("padding that follows from sizes (auto_pad) is not supported: give pads")
    pads = tuple(node.attributes.get("pads", (0,) * 2 * rank))
    return pads[:rank], pads[rank:]


def _symmetric(node: Node, rank: int, value: float = 0.0) -> tuple[Symbol, tuple[int, ...]]:
    """Return the data and a padding that is equal on both sides, padding the data beforehand if it is not."""
    before, after = _pads(node, rank)
    if before == after:
        return node.data, before
    pairs = ((0, 0), (0, 0), *zip(before, after, strict=True))
    return node.call("_npi_pad", node.data, pad_width=pairs, mode="constant", constant_value=value), (0,) * rank


def _geometry(node: Node, kernel: tuple[int, ...]) -> dict[str, Any]:
    ones = (1,) * len(kernel)
    return {
        "kernel": kernel,
        "stride": tuple(node.attributes.get("strides", ones)),
        "dilate": tuple(node.attributes.get("dilations", ones)),
    }


@reads("Conv")
def _conv(node: Node) -> Symbol:
    weight = node.static(node.shape_of(node.input(1)))
    data, pad = _symmetric(node, len(weight) - 2)
    inputs = [data, *(node.input(k) for k in (1, 2) if node.has(k))]
    shape = {**_geometry(node, weight[2:]), "pad": pad, "num_group": node.attributes.get("group", 1)}
    return node.call("Convolution", *inputs, num_filter=weight[0], no_bias=not node.has(2), **shape)


@reads("ConvTranspose")
def _conv_transpose(node: Node) -> Symbol:
    weight, groups = node.static(node.shape_of(node.input(1))), node.attributes.get("group", 1)
    rank = len(weight) - 2
    before, after = _pads(node, rank)
    if before != after:
        node.refuse("padding that differs at both ends has no counterpart")
    shape = {**_geometry(node, weight[2:]), "pad": before, "num_group": groups, "no_bias": not node.has(2)}
    wanted = node.attributes.get("output_shape")
    placed = {"target_shape": tuple(wanted)} if wanted else {"adj": tuple(node.attributes.get("output_padding", ()))}
    inputs = [node.input(k) for k in range(3) if node.has(k)]
    return node.call("Deconvolution", *inputs, num_filter=weight[1] * groups, **shape, **placed)


def _windows(node: Node) -> dict[str, Any]:
    kernel = tuple(node.attributes["kernel_shape"])
    shape = _geometry(node, kernel)
    if any(d != 1 for d in shape.pop("dilate")):
        node.refuse("dilated windows have no counterpart")
    return {**shape, "pooling_convention": "full" if node.attributes.get("ceil_mode") else "valid"}


@reads("MaxPool")
def _max_pool(node: Node) -> Symbol:
    shape = _windows(node)
    data, pad = _symmetric(node, len(shape["kernel"]), -3e38)
    if node.outputs > 1:
        node.refuse("the positions of the largest elements have no counterpart")
    return node.call("Pooling", data, pool_type="max", pad=pad, **shape)


@reads("AveragePool")
def _average_pool(node: Node) -> Symbol:
    """Return the means of windows. Padding that differs at both ends counts, or is taken out by the mean of ones."""
    shape = _windows(node)
    counted = bool(node.attributes.get("count_include_pad", 0))
    data, pad = _symmetric(node, len(shape["kernel"]))
    if data is node.data:
        return node.call("Pooling", data, pool_type="avg", pad=pad, count_include_pad=counted, **shape)
    means = node.call("Pooling", data, pool_type="avg", **shape)
    if counted:
        return means
    before, after = _pads(node, len(shape["kernel"]))
    pairs = ((0, 0), (0, 0), *zip(before, after, strict=True))
    ones = node.call("_npi_pad", node.call("ones_like", node.data), pad_width=pairs, mode="constant")
    return node.call("broadcast_div", means, node.call("Pooling", ones, pool_type="avg", **shape))


@reads("LpPool")
def _lp_pool(node: Node) -> Symbol:
    shape = _windows(node)
    data, pad = _symmetric(node, len(shape["kernel"]))
    return node.call("Pooling", data, pool_type="lp", p_value=node.attributes.get("p", 2), pad=pad, **shape)


def _global(kind: str) -> Read:
    def read(node: Node) -> Symbol:
        return node.call("Pooling", node.data, pool_type=kind, global_pool=True, kernel=(1,) * (node.rank - 2))

    return read


reads("GlobalAveragePool")(_global("avg"))
reads("GlobalMaxPool")(_global("max"))


@reads("GlobalLpPool")
def _global_lp_pool(node: Node) -> Symbol:
    p = node.attributes.get("p", 2)
    return node.call("Pooling", node.data, pool_type="lp", p_value=p, global_pool=True, kernel=(1,) * (node.rank - 2))


@reads("Resize")
def _resize(node: Node) -> Symbol:
    mode, place = node.attributes.get("mode", "nearest"), node.attributes.get("coordinate_transformation_mode")
    targets = node.static(node.sizes(3)[2:]) if node.has(3) else None
    if mode == "nearest" and targets is None and place == "asymmetric":
        return _enlarged(node)
    if mode != "linear" or node.rank != 4 or targets is None or place not in {"half_pixel", "align_corners"}:
        node.refuse("only whole factors by the nearest pixel and given sizes by linear interpolation are supported")
    corners = place == "align_corners"
    return node.call("_contrib_BilinearResize2D", node.data, height=targets[0], width=targets[1], align_corners=corners)


def _enlarged(node: Node) -> Symbol:
    scales = [float(n) for n in node.constant(2)]
    factors = set(scales[2:])
    if node.rank != 4 or scales[:2] != [1, 1] or len(factors) != 1 or math.modf(scales[2])[0]:
        node.refuse("only one whole factor for height and width is supported")
    return node.call("UpSampling", node.data, scale=int(scales[2]), sample_type="nearest")


@reads("RoiAlign")
def _roi_align(node: Node) -> Symbol:
    """Return the ROIAlign of boxes with the number of their image in front."""
    given = node.attributes
    if given.get("mode", "avg") != "avg":
        node.refuse("the largest sample of each bin (mode='max') has no counterpart")
    image = node.cast(node.call("expand_dims", node.input(2), axis=1), node.type_of(node.input(1)).dtype or "float32")
    return node.call(
        "_contrib_ROIAlign",
        node.data,
        node.call("Concat", image, node.input(1), dim=1),
        pooled_size=(given.get("output_height", 1), given.get("output_width", 1)),
        spatial_scale=given.get("spatial_scale", 1.0),
        sample_ratio=given.get("sampling_ratio", 0) or -1,
        aligned=node.version >= 16 and given.get("coordinate_transformation_mode", "half_pixel") == "half_pixel",
    )


@reads("BatchNormalization")
def _batch_norm(node: Node) -> Symbol:
    if node.attributes.get("training_mode"):
        node.refuse("statistics of the batch (training_mode=1) belong to training")
    given = {"eps": node.attributes.get("epsilon", 1e-5), "momentum": node.attributes.get("momentum", 0.9)}
    return node.call("BatchNorm", *(node.input(k) for k in range(5)), fix_gamma=False, **given)


@reads("InstanceNormalization")
def _instance_norm(node: Node) -> Symbol:
    return node.call("InstanceNorm", *(node.input(k) for k in range(3)), eps=node.attributes.get("epsilon", 1e-5))


@reads("LayerNormalization")
def _layer_norm(node: Node) -> Symbol:
    axis = node.axis(-1)
    if axis != node.rank - 1:
        node.refuse("more than one normalized axis has no counterpart")
    vectors = [node.input(k) for k in (1, 2) if node.has(k)]
    if len(vectors) < 2:
        vectors.append(node.parameter(np.zeros(node.static(node.shape[-1:]), "float32"), "beta"))
    return node.call("LayerNorm", node.data, *vectors, axis=axis, eps=node.attributes.get("epsilon", 1e-5))


@reads("LRN")
def _lrn(node: Node) -> Symbol:
    given = node.attributes
    rest = {"alpha": given.get("alpha", 1e-4), "beta": given.get("beta", 0.75), "knorm": given.get("bias", 1.0)}
    return node.call("LRN", node.data, nsize=given["size"], **rest)


def _softmax(name: str) -> Read:
    def read(node: Node) -> Symbol:
        """Before version 13 the axis began the part over which the sum is one."""
        axis = node.axis(-1 if node.version >= 13 else 1)
        if node.version < 13 and axis != node.rank - 1:
            node.refuse("before version 13, only the last axis is supported")
        return node.call(name, node.data, axis=axis)

    return read


reads("Softmax")(_softmax("softmax"))
reads("LogSoftmax")(_softmax("log_softmax"))


def _reduction(name: str, **params: Any) -> Read:
    def read(node: Node) -> Symbol:
        axes = node.numbers(1, "axes")
        keep = bool(node.attributes.get("keepdims", 1))
        if axes is None and node.attributes.get("noop_with_empty_axes"):
            return node.call("_copy", node.data)
        return node.call(name, node.data, axis=None if axes is None else tuple(axes), keepdims=keep, **params)

    return read


reads("ReduceSum")(_reduction("sum"))
reads("ReduceMean")(_reduction("mean"))
reads("ReduceMax")(_reduction("max"))
reads("ReduceMin")(_reduction("min"))
reads("ReduceProd")(_reduction("prod"))
reads("ReduceL1")(_reduction("norm", ord=1))
reads("ReduceL2")(_reduction("norm", ord=2))


@reads("ReduceSumSquare")
def _sum_of_squares(node: Node) -> Symbol:
    axes = node.numbers(1, "axes")
    keep = bool(node.attributes.get("keepdims", 1))
    squares = node.call("square", node.data)
    return node.call("sum", squares, axis=None if axes is None else tuple(axes), keepdims=keep)


def _position(name: str) -> Read:
    def read(node: Node) -> Symbol:
        keep = bool(node.attributes.get("keepdims", 1))
        return node.cast(node.call(name, node.data, axis=node.axis(), keepdims=keep), "int64")

    return read


reads("ArgMax")(_position("argmax"))
reads("ArgMin")(_position("argmin"))


@reads("CumSum")
def _cumsum(node: Node) -> Symbol:
    if node.attributes.get("exclusive") or node.attributes.get("reverse"):
        node.refuse("sums without the element itself, or from the end, have no counterpart")
    axis = int(np.asarray(node.constant(1)).reshape(-1)[0]) % node.rank
    return node.call("_np_cumsum", node.data, axis=axis)
