"""``import_model``: an ONNX file read as a symbol and its parameters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.base import DamagedFileError, MXNetError
from hybridlint.runtime.contrib.onnx.onnx2mx.graph import read_graph
from hybridlint.runtime.onnx.library import library
from hybridlint.runtime.symbol.symbol import Symbol

T = TypeVar("T")


def import_model(model_file: Any) -> tuple[Symbol, dict[str, Any], dict[str, Any]]:
    """Return the symbol of an ONNX file, its parameters and its auxiliary states, by name.

    Raises ImportError without the package onnx, FileNotFoundError, NotImplementedError, which names operator and node,
    for what cannot be said with MXNet's operators, and MXNetError for what is no file of ONNX.
    """
    graph = checked(model_file, lambda: read_graph(_load(model_file)))
    arguments, states = set(graph.symbol.list_arguments()), set(graph.symbol.list_auxiliary_states())
    arrays = {name: nd.array(array, dtype=array.dtype) for name, array in graph.params.items()}
    return (
        graph.symbol,
        {name: array for name, array in arrays.items() if name in arguments},
        {name: array for name, array in arrays.items() if name in states},
    )


def get_model_metadata(model_file: Any) -> dict[str, list[tuple[Any, ...]]]:
    """Return names and shapes of the inputs and outputs of an ONNX file; 0 is a dynamic size.

    The inputs also have the number that represents their dtype, as in MXNet.
    """
    graph = checked(model_file, lambda: _load(model_file)).graph
    params = {tensor.name for tensor in graph.initializer}
    return {
        "input_tensor_data": [
            (value.name, _shape(value), value.type.tensor_type.elem_type)
            for value in graph.input
            if value.name not in params
        ],
        "output_tensor_data": [(value.name, _shape(value)) for value in graph.output],
    }


def checked(model_file: Any, read: Callable[[], T]) -> T:
    """Return the result of reading a file. Errors caused by its entries are raised as errors of the file."""
    try:
        return read()
    except (MXNetError, NotImplementedError, ImportError, OSError):
        raise
    except Exception as error:
        # Readings take an entry for what the format says it is, and the libraries that they call have their own errors.
        message = f"{model_file} is no ONNX file that can be read: {type(error).__name__}: {error}"
        raise DamagedFileError(message) from error


def _shape(value: Any) -> tuple[int, ...]:
    return tuple(size.dim_value for size in value.type.tensor_type.shape.dim)


def _load(model_file: Any) -> Any:
    onnx = library()
    if not Path(model_file).is_file():
        raise FileNotFoundError(f"no ONNX file {model_file}")
    return onnx.load_model(str(model_file))
