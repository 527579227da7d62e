"""From a model of ONNX to a symbol: inputs, constants, then node by node."""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.contrib.onnx.onnx2mx import shape_vectors
from hybridlint.runtime.contrib.onnx.onnx2mx.node import Node
from hybridlint.runtime.contrib.onnx.onnx2mx.reading import readings
from hybridlint.runtime.contrib.onnx.onnx2mx.values import NotReadableError, Values
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.onnx.dtypes import NAMES
from hybridlint.runtime.onnx.library import library
from hybridlint.runtime.symbol.symbol import Symbol, group

#: The elements of a constant that a node of constants makes.
_MOST_ELEMENTS = 1 << 24
#: The numbers of a constant that may be a shape.
_MOST_SIZES = 32


@dataclass(frozen=True, slots=True)
class ReadGraph:
    """A symbol and the arrays of its parameters."""

    symbol: Symbol
    params: dict[str, Any]


def read_graph(model: Any) -> ReadGraph:
    """Return the symbol and parameters of a model. Raises NotImplementedError that names operator and node."""
    values = Values()
    to_array = library().numpy_helper.to_array
    for tensor in model.graph.initializer:
        values.add_array(tensor.name, to_array(tensor))
    for value in model.graph.input:
        if values.array(value.name) is None:
            values.add_input(value.name, _type(value))
    version = next((row.version for row in model.opset_import if row.domain in {"", "ai.onnx"}), 1)
    for node in model.graph.node:
        _read(node, values, version)
    return ReadGraph(group([_output(value, values) for value in model.graph.output]), values.params)


def _type(value: Any) -> TensorType:
    tensor = value.type.tensor_type
    sizes = [
        size.dim_value or Dim.named(size.dim_param or f"{value.name}[{axis}]")
        for axis, size in enumerate(tensor.shape.dim)
    ]
    return TensorType(tuple(sizes) if tensor.HasField("shape") else None, NAMES.get(tensor.elem_type))


def _output(value: Any, values: Values) -> Symbol:
    """Return an output of the graph. Booleans, which pass through it as numbers, become booleans again."""
    try:
        symbol = values.symbol(value.name)
    except NotReadableError as error:
        raise NotImplementedError(f"Output {value.name} cannot be imported from ONNX: {error}") from error
    wanted = NAMES.get(value.type.tensor_type.elem_type)
    if wanted == "bool" and values.type_of(symbol).dtype != "bool":
        symbol = values.call("Cast", [symbol], {"dtype": "bool"})
    return symbol


def _read(proto: Any, values: Values, version: int) -> None:
    """Read a node: computed now if its inputs are constants, as a vector of sizes, or by its reading."""
    names = tuple(proto.input)
    attributes = {a.name: _attribute(library().helper.get_attribute_value(a)) for a in proto.attribute}
    if _folded(proto, values, names, version):
        return
    node = Node(proto.op_type, attributes, names, len(proto.output), version, values)
    try:
        sizes = shape_vectors.sizes_of(node)
        if sizes is not None:
            values.add_sizes(proto.output[0], sizes)
            return
        read = readings().get(proto.op_type)
        if read is None:
            node.refuse("no reading of it is known")
        result = read(node)
    except (NotReadableError, InferError, MXNetError) as error:
        raise NotImplementedError(
            f"Operator {proto.op_type} of node {proto.name or proto.output[0]} cannot be imported from ONNX: {error}"
        ) from error
    for name, symbol in zip(proto.output, [result] if isinstance(result, Symbol) else result, strict=False):
        if name:
            values.add_symbol(name, symbol)


def _makes_large(proto: Any, outputs: list[Any], arrays: dict[str, Any], opsets: list[Any]) -> bool:
    """Whether a node would expand a few numbers of a file into an excessively large constant."""
    onnx = library()
    constants = [onnx.numpy_helper.from_array(array, name) for name, array in arrays.items()]
    graph = onnx.helper.make_graph([proto], "sizes", [], outputs, constants)
    model = importlib.import_module("onnx.shape_inference").infer_shapes(
        onnx.helper.make_model(graph, opset_imports=opsets), data_prop=True
    )
    tensors = [value.type.tensor_type for value in model.graph.output]
    shapes = [[int(size.dim_value) for size in tensor.shape.dim] for tensor in tensors]
    if not all(tensor.HasField("shape") for tensor in tensors):
        # A shape that cannot be inferred may be as large as the numbers in the inputs.
        whole = (a for a in arrays.values() if a.dtype.kind in "iu" and a.size <= _MOST_SIZES)
        shapes += [[abs(int(number)) for number in array.reshape(-1)] for array in whole]
    return any(math.prod(max(size, 1) for size in shape) > _MOST_ELEMENTS for shape in shapes)


def _attribute(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


def _folded(proto: Any, values: Values, names: tuple[str, ...], version: int) -> bool:
    """Compute a node whose inputs are all constants; return False for other nodes and for large inputs."""
    arrays = {name: values.array(name) for name in names if name}
    if any(array is None for array in arrays.values()) or any(a.size > 1 << 16 for a in arrays.values()):
        return False
    if proto.op_type.startswith("Random") or proto.op_type in {"Multinomial", "Bernoulli"}:
        return False
    if any(a.HasField("g") or a.graphs for a in proto.attribute):
        # A loop may go on for ever.
        return False
    onnx = library()
    helper = onnx.helper
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in arrays.items()
    ]
    outputs = [helper.make_empty_tensor_value_info(name) for name in proto.output if name]
    opsets = [helper.make_opsetid("", version)]
    model = helper.make_model(helper.make_graph([proto], "constant", inputs, outputs), opset_imports=opsets)
    from importlib import import_module

    if _makes_large(proto, outputs, arrays, opsets):
        where = proto.name or proto.output[0]
        raise NotImplementedError(
            f"Operator {proto.op_type} of node {where} cannot be imported from ONNX: few numbers make a large constant"
        )
    results = import_module("onnx.reference").ReferenceEvaluator(model).run(None, arrays)
    for output, result in zip(outputs, results, strict=True):
        values.add_array(output.name, np.asarray(result))
    return True
