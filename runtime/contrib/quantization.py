"""``mx.contrib.quantization``: networks whose layers compute on integers of 8 bits, with ranges from sample data."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.context import Context, cpu
from hybridlint.runtime.contrib.calibration import (
    Collector,
    Limits,
    _LayerHistogramCollector,
    _LayerOutputMinMaxCollector,
    limits_by_entropy,
)
from hybridlint.runtime.contrib.quantized_graph import Quantizing, quantized
from hybridlint.runtime.gluon import HybridBlock, SymbolBlock
from hybridlint.runtime.gluon.param import Parameter
from hybridlint.runtime.io import DataDesc
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.symbol import Symbol
from hybridlint.runtime.symbol.node import topological

_Arrays = Mapping[str, NDArray]
_DTYPES = ("int8", "uint8", "auto")
_MODES = ("none", "naive", "entropy")


def quantize_model(
    sym: Symbol,
    arg_params: _Arrays,
    aux_params: _Arrays,
    data_names: Sequence[str] = ("data",),
    label_names: Sequence[str] | None = ("softmax_label",),
    ctx: Context | None = None,
    excluded_sym_names: Sequence[str] | None = None,
    excluded_op_names: Sequence[str] | None = None,
    calib_mode: str | None = "entropy",
    calib_data: Any = None,
    num_calib_examples: int | None = None,
    quantized_dtype: str = "int8",
    quantize_mode: str = "smart",
    quantize_granularity: str = "tensor-wise",
    logger: Any = None,
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """Return a quantized graph with its parameters.

    By "naive" calibration, the ranges of values are those that samples have, by "entropy" narrower ones that lose less
    where most numbers are small. Raises ValueError for other values, and for calibration without data.
    """
    collector = _collector(calib_mode, quantized_dtype, calib_data)
    ranges: Limits = {}
    if collector is not None:
        batches = _batches(calib_data, num_calib_examples)
        _show(collector, sym, {**arg_params, **aux_params}, list(data_names), batches, ctx or cpu())
        ranges = _limits(collector, quantized_dtype)
    options = Quantizing(
        quantized_dtype,
        set(arg_params),
        set(excluded_sym_names or ()),
        set(excluded_op_names or ()),
        everything=quantize_mode == "full",
        ranges=ranges,
    )
    graph = quantized(sym, options)
    return graph, _quantized_params(graph, arg_params), dict(aux_params)


#: The same, for graphs whose operators oneDNN has put together: there are none.
quantize_model_mkldnn = quantize_model


def _collector(calib_mode: str | None, quantized_dtype: str, calib_data: Any) -> Collector | None:
    """Return the receiver of the network's values, None without calibration.

    Raises ValueError for unsupported modes.
    """
    if calib_mode not in {None, *_MODES}:
        raise ValueError(f"unknown calibration mode {calib_mode} received, expected `none`, `naive`, or `entropy`")
    if calib_mode not in {None, "none"} and calib_data is None:
        raise ValueError(f"calib_data must be provided when calib_mode={calib_mode}")
    if quantized_dtype not in _DTYPES:
        raise ValueError(f"unknown quantized_dtype {quantized_dtype} received, expected `int8`, `uint8` or `auto`")
    return _collector_of(calib_mode)


def _collector_of(calib_mode: str | None) -> Collector | None:
    if calib_mode in {None, "none"}:
        return None
    return _LayerHistogramCollector() if calib_mode == "entropy" else _LayerOutputMinMaxCollector()


def _limits(collector: Any, quantized_dtype: str) -> Limits:
    """Return the ranges that follow from what a collector was shown."""
    if isinstance(collector, _LayerHistogramCollector):
        return limits_by_entropy(collector.hist_dict, quantized_dtype)
    found: Limits = collector.min_max_dict
    return found


def _batches(data: Any, examples: int | None) -> Iterable[list[NDArray]]:
    """Yield the arrays of batches, up to the given number of examples."""
    if hasattr(data, "reset"):
        data.reset()
    seen = 0
    for batch in data:
        arrays = batch.data if hasattr(batch, "data") and not isinstance(batch, NDArray) else batch
        arrays = [arrays] if isinstance(arrays, NDArray) else list(arrays)
        yield arrays
        seen += arrays[0].shape[0]
        if examples is not None and seen >= examples:
            return


def _show(
    collector: Collector,
    graph: Symbol,
    params: _Arrays,
    data_names: Sequence[str],
    batches: Iterable[Sequence[NDArray]],
    ctx: Context,
) -> None:
    """Show a collector a graph's inputs and all values in it, over some batches."""
    for arrays in batches:
        given = dict(zip(data_names, arrays, strict=False))
        shapes: dict[str, Any] = {name: array.shape for name, array in given.items()}
        executor = graph.simple_bind(ctx, grad_req="null", **shapes)
        for bound in (executor.arg_dict, executor.aux_dict):
            for name in bound.keys() & params.keys():
                bound[name][:] = params[name]
        executor.set_monitor_callback(lambda name, array: collector.collect(name.decode(), "", array))
        executor.forward(**given)
        for name, array in given.items():
            collector.collect(name, "", array)


def _quantized_params(graph: Symbol, params: _Arrays) -> dict[str, NDArray]:
    """Return the parameters that a quantized graph has; weights and biases as integers with their ranges."""
    found: dict[str, NDArray] = {}
    for node in topological(graph._entries):
        if node.op is not None:
            continue
        name = node.name.removesuffix("_quantize")
        if node.name in params:
            found[node.name] = params[node.name]
        elif name in params and name != node.name:
            array = params[name]
            integers = nd.contrib.quantize(array, array.min(), array.max(), out_type="int8")
            keys = (node.name, f"{node.name}_min", f"{node.name}_max")
            found.update(zip(keys, integers, strict=True))
    return found


def quantize_graph(
    sym: Symbol,
    arg_params: _Arrays,
    aux_params: _Arrays,
    ctx: Context | None = None,
    excluded_sym_names: Sequence[str] | None = None,
    excluded_op_names: Sequence[str] | None = None,
    calib_mode: str | None = "entropy",
    quantized_dtype: str = "int8",
    quantize_mode: str = "full",
    quantize_granularity: str = "tensor-wise",
    LayerOutputCollector: Any = None,
    logger: Any = None,
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray], Any]:
    """Return a quantized graph, its parameters, and what collects the ranges of its inputs for `calib_graph`."""
    options = (["data"], None, ctx, excluded_sym_names, excluded_op_names, "none", None, None, quantized_dtype)
    graph, args, aux = quantize_model(sym, arg_params, aux_params, *options, quantize_mode)
    collector = _collector_of(calib_mode)
    return graph, args, aux, None if collector is None else LayerOutputCollector or collector


def calib_graph(
    qsym: Symbol,
    arg_params: _Arrays,
    aux_params: _Arrays,
    collector: Any,
    calib_mode: str = "entropy",
    quantized_dtype: str = "int8",
    logger: Any = logging,
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """Return a quantized graph whose inputs have the ranges that a collector has seen."""
    ranges = _limits(collector, quantized_dtype)
    graph = Symbol(qsym._entries)
    for node in topological(graph._entries):
        if node.op is None or node.op.name != "_contrib_quantize_v2" or node.inputs[0] is None:
            continue
        source, index = node.inputs[0]
        limits = ranges.get(source.output_name(index))
        if limits is not None:
            named = dict(zip(("min_calib_range", "max_calib_range"), map(float, limits), strict=True))
            node.params = {**node.params, **named}
            node.given = {**node.given, **{name: str(value) for name, value in named.items()}}
    return graph, dict(arg_params), dict(aux_params)


def quantize_net_v2(
    network: HybridBlock,
    quantized_dtype: str = "auto",
    quantize_mode: str = "full",
    quantize_granularity: str = "tensor-wise",
    exclude_layers: Sequence[str] | None = None,
    exclude_layers_match: Sequence[str] | None = None,
    exclude_operators: Sequence[str] | None = None,
    calib_data: Any = None,
    data_shapes: Sequence[Any] | None = None,
    calib_mode: str | None = "none",
    num_calib_examples: int | None = None,
    ctx: Context | None = None,
    LayerOutputCollector: Any = None,
    logger: Any = None,
) -> SymbolBlock:
    """Return a network as a block whose layers compute on integers.

    Raises ValueError without `calib_data` and `data_shapes`, one of which says what the inputs are.
    """
    if data_shapes is None and calib_data is None:
        raise ValueError("At least one of data_shapes or calib_data has to be provided.")
    _collector(calib_mode, quantized_dtype, calib_data)
    if data_shapes is not None:
        shapes = [tuple(d.shape) if isinstance(d, DataDesc) else tuple(d) for d in data_shapes]
    else:
        shapes = [array.shape for array in next(iter(_batches(calib_data, 1)))]
    network.hybridize()
    network(*(nd.zeros(shape) for shape in shapes))
    assert network._trace_ is not None
    assert network._compiled_ is not None
    graph, inputs = network._trace_.graph, list(network._trace_.inputs)
    arrays = {source.name: source._reduce() for source in network._compiled_.sources if isinstance(source, Parameter)}
    states = set(graph.list_auxiliary_states())
    nodes = [node.name for node in topological(graph._entries) if node.op is not None]
    matched = [name for name in nodes if any(part in name for part in exclude_layers_match or ())]
    result, args, aux = quantize_model(
        graph,
        {name: array for name, array in arrays.items() if name not in states},
        {name: array for name, array in arrays.items() if name in states},
        [symbol.name for symbol in inputs if symbol.name is not None],
        None,
        ctx,
        [*(exclude_layers or ()), *matched],
        exclude_operators,
        calib_mode,
        calib_data,
        num_calib_examples,
        quantized_dtype,
        quantize_mode,
    )
    made = SymbolBlock(result, inputs)
    for name, param in made.collect_params().items():
        param._load_init({**args, **aux}[name], ctx or cpu(), cast_dtype=True, dtype_source="saved")
    return made


def quantize_net(
    network: HybridBlock,
    quantized_dtype: str = "auto",
    quantize_mode: str = "full",
    exclude_layers: Sequence[str] | None = None,
    exclude_layers_match: Sequence[str] | None = None,
    exclude_operators: Sequence[str] | None = None,
    calib_data: Any = None,
    data_shapes: Sequence[Any] | None = None,
    calib_mode: str | None = "none",
    num_calib_examples: int | None = None,
    ctx: Context | None = None,
    logger: Any = None,
) -> SymbolBlock:
    """Return a network as a block whose layers compute on integers, as `quantize_net_v2` does."""
    return quantize_net_v2(
        network,
        quantized_dtype,
        quantize_mode,
        "tensor-wise",
        exclude_layers,
        exclude_layers_match,
        exclude_operators,
        calib_data,
        data_shapes,
        calib_mode,
        num_calib_examples,
        ctx,
        None,
        logger,
    )
