"""``export_model``: a symbol and its parameters, given as objects or as files, written as an ONNX file."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hybridlint.runtime.core.operator_params import dtype_name
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.onnx.library import library
from hybridlint.runtime.onnx.mx2onnx.graph import GraphInput, to_model
from hybridlint.runtime.symbol.node import topological
from hybridlint.runtime.symbol.symbol import Symbol


def export_model(
    sym: Any,
    params: Any,
    in_shapes: Any = None,
    in_types: Any = np.float32,
    onnx_file_path: Any = "model.onnx",
    verbose: bool = False,
    dynamic: bool = False,
    dynamic_input_shapes: Any = None,
    run_shape_inference: bool = False,
    input_type: Any = None,
    input_shape: Any = None,
) -> str:
    """Write a network as an ONNX file, and return the path.

    `sym` and `params` are a Symbol and its arrays by name (or a list of such dicts), or the files that
    `HybridBlock.export` writes. `in_shapes` has one shape for each input that is no parameter, in the order of
    ``list_inputs``; `in_types` one dtype, or one for all. With `dynamic`, all sizes of the inputs are left open, or
    those that are None or a name in `dynamic_input_shapes`; equal names are equal sizes.

    Raises ImportError without the package onnx, ValueError for inputs that do not fit, and AttributeError, which names
    operator and node, for what cannot be said in ONNX.
    """
    onnx = library()
    symbol, arrays = _loaded(sym, params)
    shapes = in_shapes if input_shape is None else input_shape
    types = in_types if input_type is None else input_type
    inputs = _inputs(_data_names(symbol, arrays), shapes, types)
    if dynamic:
        inputs = _opened(inputs, dynamic_input_shapes)
    model = to_model(symbol, arrays, inputs)
    if run_shape_inference:
        model = onnx.shape_inference.infer_shapes(model)
    onnx.save_model(model, str(onnx_file_path))
    if verbose:
        logging.getLogger(__name__).info("%d nodes written to %s", len(model.graph.node), onnx_file_path)
    return str(onnx_file_path)


def _loaded(sym: Any, params: Any) -> tuple[Symbol, dict[str, Any]]:
    """Return the symbol and the arrays of its parameters. Raises ValueError for what is neither object nor file."""
    if isinstance(sym, (str, Path)) and isinstance(params, (str, Path)):
        from hybridlint.runtime import ndarray, symbol

        if not Path(sym).is_file() or not Path(params).is_file():
            raise ValueError(f"Input sym and params should either be files or objects: no file {sym} or {params}")
        sym, params = symbol.load(sym), ndarray.load(str(params))
    if not isinstance(sym, Symbol) or not isinstance(params, (dict, list, tuple)):
        raise ValueError("Input sym and params should either be files or objects")
    given: dict[str, Any] = {}
    for part in [params] if isinstance(params, dict) else params:
        given |= {str(name).removeprefix("arg:").removeprefix("aux:"): _numbers(value) for name, value in part.items()}
    return sym, given


def _numbers(value: Any) -> Any:
    return value.asnumpy() if isinstance(value, NDArray) else np.asarray(value)


def _data_names(symbol: Symbol, params: Mapping[str, Any]) -> list[str]:
    """Return the inputs that need a shape: no parameters, and no labels, which only losses read."""
    labels = {
        entry[0].name
        for node in topological(symbol._entries)
        if node.op is not None
        for name, entry in zip(node.op.inputs, node.inputs, strict=False)
        if name == "label" and entry is not None and entry[0].op is None
    }
    return [name for name in symbol.list_inputs() if name not in params and name not in labels]


def _inputs(names: Sequence[str], shapes: Any, types: Any) -> list[GraphInput]:
    """Return the inputs of the network. Raises ValueError if a shape or dtype is missing."""
    given = [shapes] if isinstance(shapes, tuple) and all(isinstance(n, int) for n in shapes) else list(shapes or ())
    if len(given) < len(names):
        raise ValueError(
            f"in_shapes has {len(given)} shapes for {len(names)} inputs: pass one for each of {', '.join(names)}"
        )
    dtypes = list(types) if isinstance(types, (list, tuple)) else [types]
    dtypes = dtypes * len(names) if len(dtypes) == 1 else dtypes
    if len(dtypes) < len(names):
        raise ValueError(f"in_types has {len(dtypes)} dtypes for {len(names)} inputs: pass one, or one for each")
    rows = zip(names, dtypes, given, strict=False)
    return [GraphInput(name, dtype_name(dtype), tuple(int(n) for n in shape)) for name, dtype, shape in rows]


def _opened(inputs: Sequence[GraphInput], dynamic: Any) -> list[GraphInput]:
    """Return the inputs with dynamic sizes. Raises ValueError if a dynamic shape does not fit its input."""
    wanted = list(dynamic or [(None,) * len(given.shape) for given in inputs])
    if [len(shape) for shape in wanted[: len(inputs)]] != [len(given.shape) for given in inputs]:
        raise ValueError("dynamic_input_shapes must have one shape for each input, with as many sizes as in in_shapes")
    return [
        GraphInput(
            given.name,
            given.dtype,
            tuple(_size(size, f"{given.name}[{axis}]") for axis, size in enumerate(shape)),
        )
        for given, shape in zip(inputs, wanted, strict=False)
    ]


def _size(size: Any, place: str) -> Any:
    return size if isinstance(size, int) else Dim.named(size or place)
