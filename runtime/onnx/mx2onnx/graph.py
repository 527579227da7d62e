"""From a symbol with its parameters to a model of ONNX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import hybridlint
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.types import Shape, TensorType
from hybridlint.runtime.onnx.library import library
from hybridlint.runtime.onnx.mx2onnx.call import NotTranslatableError, OnnxCall
from hybridlint.runtime.onnx.mx2onnx.translation import IR_VERSION, OPSET, Translation, translation_of
from hybridlint.runtime.onnx.mx2onnx.writer import GraphWriter, UnknownSizeError, tensor_info
from hybridlint.runtime.symbol.inference import Inference
from hybridlint.runtime.symbol.node import SymbolEntry, SymbolNode
from hybridlint.runtime.symbol.symbol import Symbol


@dataclass(frozen=True, slots=True)
class GraphInput:
    """An input of the network: its type, with a `Dim` for each dynamic size."""

    name: str
    dtype: str
    shape: Shape


@dataclass(slots=True)
class _Conversion:
    """The state of a conversion: what has been written of the symbol so far."""

    writer: GraphWriter
    types: Inference
    params: Mapping[str, Any]
    values: dict[tuple[int, int], str] = field(default_factory=dict)
    arrays: dict[tuple[int, int], Any] = field(default_factory=dict)

    def convert(self, node: SymbolNode) -> None:
        if node.op is None:
            self._variable(node)
        elif not self._fold(node):
            self._operator(node)

    def value(self, entry: SymbolEntry) -> str:
        """Return the name of an entry's value, writing it as a constant on its first use."""
        key = (id(entry[0]), entry[1])
        if key not in self.values:
            if key not in self.arrays:
                raise _refusal(entry[0], f"its output {entry[1]} is not computed by what it is translated to")
            self.values[key] = self.writer.named_array(self.arrays[key], _output_name(entry[0], entry[1]))
        return self.values[key]

    def _variable(self, node: SymbolNode) -> None:
        if node.name in self.params:
            self.arrays[id(node), 0] = self.params[node.name]
        else:
            self.values[id(node), 0] = node.name

    def _fold(self, node: SymbolNode) -> bool:
        """Compute a node whose inputs are all constants, such as the packing of weights; False if they are not."""
        keys = [None if e is None else (id(e[0]), e[1]) for e in node.inputs]
        operator = node.op
        assert operator is not None
        if not keys or operator.random or operator.modal or any(k is not None and k not in self.arrays for k in keys):
            return False
        arrays = [None if key is None else self.arrays[key] for key in keys]
        given = {name: value for name, value in node.params.items() if name in operator.params}
        results = operator.kernel(np, *arrays, **given)
        for index, result in enumerate(results if isinstance(results, tuple) else (results,)):
            self.arrays[id(node), index] = np.asarray(result)
        return True

    def _operator(self, node: SymbolNode) -> None:
        assert node.op is not None
        translation = translation_of(node.op)
        if translation is None:
            raise AttributeError(
                f"Operator {node.op.name} of node {node.name} cannot be exported to ONNX: "
                "no translation of it is known; replace it, or export the network up to there"
            )
        since = len(self.writer.nodes)
        try:
            results = translation.translate(self._call(node, translation))
        except (NotTranslatableError, UnknownSizeError) as error:
            raise _refusal(node, str(error)) from error
        for index, name in enumerate([results] if isinstance(results, str) else results):
            self.values[id(node), index] = self.writer.rename(name, _output_name(node, index), since)

    def _call(self, node: SymbolNode, translation: Translation) -> OnnxCall:
        assert node.op is not None
        known, inputs = {}, []
        for index, entry in enumerate(node.inputs):
            wanted = node.op.inputs[0 if node.op.variadic else index] in translation.constants
            if wanted and entry is not None:
                key = (id(entry[0]), entry[1])
                if key not in self.arrays:
                    raise NotTranslatableError(
                        f"its input {node.op.inputs[index]} must be a parameter with given values"
                    )
                known[node.op.inputs[index]] = self.arrays[key]
            inputs.append(None if entry is None or wanted else self.value(entry))
        ins = tuple(TensorType() if e is None else self.types.type_of(e) for e in node.inputs)
        outs = tuple(self.types.type_of((node, k)) for k in range(node.outputs))
        return OnnxCall(node.name, node.params, tuple(inputs), ins, outs, known, self.writer)


def _refusal(node: SymbolNode, reason: str) -> AttributeError:
    assert node.op is not None
    return AttributeError(f"Operator {node.op.name} of node {node.name} cannot be exported to ONNX: {reason}")


def _output_name(node: SymbolNode, index: int) -> str:
    """Return the name of an output in the file, as in MXNet: a single output has its node's name."""
    return node.name if node.visible == 1 and index == 0 else node.output_name(index)


def to_model(symbol: Symbol, params: Mapping[str, Any], inputs: Sequence[GraphInput]) -> Any:
    """Return the model of ONNX that computes a symbol in predict mode.

    Raises AttributeError, which names operator and node, for what has no translation.
    """
    known = {name: TensorType(array.shape, array.dtype.name) for name, array in params.items()}
    known |= {given.name: TensorType(given.shape, given.dtype) for given in inputs}
    types = Inference(symbol._entries, known, thorough=True)
    types.settle_dtypes()
    used = [given for given in inputs if given.name in set(symbol.list_inputs())]
    writer = GraphWriter({given.name: given.shape for given in used})
    conversion = _Conversion(writer, types, params)
    needed = _needed(symbol._entries, types.nodes)
    for node in types.nodes:
        if id(node) in needed:
            conversion.convert(node)
    outputs = _outputs(conversion, symbol, {given.name for given in used})
    shown = {str(size): str(size) for given in inputs for size in given.shape if _named_by_user(size)}
    helper = library().helper
    graph = helper.make_graph(
        writer.nodes,
        "mxnet_converted_model",
        [tensor_info(given.name, given.dtype, given.shape, shown) for given in used],
        [tensor_info(name, t.dtype or "float32", t.shape or (), shown) for name, t in outputs],
        [library().numpy_helper.from_array(a, n) for n, a in writer.used_constants(n for n, _ in outputs).items()],
    )
    made = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET)],
        producer_name="hybridlint",
        producer_version=hybridlint.__version__,
    )
    made.ir_version = IR_VERSION
    library().checker.check_model(made, full_check=True)
    return made


def _named_by_user(size: Any) -> bool:
    return isinstance(size, Dim) and "[" not in str(size)


def _needed(entries: Sequence[SymbolEntry], nodes: Sequence[SymbolNode]) -> set[int]:
    """Return the ids of the nodes that the result depends on, without the labels of output layers."""
    needed = {id(node) for node, _ in entries}
    for node in reversed(nodes):
        if id(node) in needed:
            needed |= {id(entry[0]) for entry in node.inputs if entry is not None}
    return needed


def _outputs(conversion: _Conversion, symbol: Symbol, inputs: set[str]) -> list[tuple[str, TensorType]]:
    """Return names and types of the outputs, copying a value that is also an input, constant or other output."""
    found: list[tuple[str, TensorType]] = []
    writer = conversion.writer
    for entry in symbol._entries:
        name = conversion.value(entry)
        if name in inputs or name in writer.constants or name in {other for other, _ in found}:
            since = len(writer.nodes)
            copy = writer.emit("Identity", [name], entry[0].name)[0]
            name = writer.rename(copy, _output_name(*entry), since)
        result = conversion.types.type_of(entry)
        if result.shape is None:
            raise _refusal(entry[0], "it is not known how many dimensions its result has")
        found.append((name, result))
    return found
