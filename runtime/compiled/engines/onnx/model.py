"""Nodes of a graph, written one by one as a model of ONNX by the translations that export networks too."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from hybridlint.runtime.compiled.graph import Graph, GraphNode
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.onnx.dtypes import CODES
from hybridlint.runtime.onnx.library import library
from hybridlint.runtime.onnx.mx2onnx.call import NotTranslatableError, OnnxCall
from hybridlint.runtime.onnx.mx2onnx.translation import IR_VERSION, OPSET, translation_of
from hybridlint.runtime.onnx.mx2onnx.writer import GraphWriter, UnknownSizeError, tensor_info


class CannotWrite(ValueError):
    """A node means something that no model of ONNX says: a clause about it."""


class ModelWriter:
    """The parts of a model written so far. `used` are the values of the graph that something reads."""

    def __init__(self, graph: Graph, used: AbstractSet[int], *, training: bool) -> None:
        self._graph = graph
        self._used = used
        self._training = training
        self._writer = GraphWriter({})
        #: Names of values: what the nodes so far took from outside, constants, and what they made.
        self._names: dict[int, str] = {}
        self._taken: dict[int, str] = {}

    def add(self, node: GraphNode) -> None:
        """Write a node. Raises CannotWrite, and then nothing of it is written."""
        since = len(self._writer.nodes)
        try:
            made = self._translated(node)
        except (NotTranslatableError, UnknownSizeError, CannotWrite) as error:
            del self._writer.nodes[since:]
            raise CannotWrite(f"{node.op.name}: {error}") from error
        self._names.update(made)

    def finished(self, makes: Sequence[int]) -> tuple[Any, dict[str, int], dict[str, int]]:
        """Return the model that makes these values, and the values of its inputs and outputs by their names."""
        types, helper = self._graph.types, library().helper
        outputs: dict[str, int] = {}
        for value in makes:
            name = self._names[value]
            if name in outputs or name in self._writer.constants or name in self._taken.values():
                name = self._writer.emit("Identity", [name], name)[0]
            outputs[name] = value
        read = {name for node in self._writer.nodes for name in node.input}
        inputs = {name: value for value, name in self._taken.items() if name in read}
        constants = self._writer.used_constants(outputs)
        graph = helper.make_graph(
            self._writer.nodes,
            "part",
            [_info(name, types[value]) for name, value in inputs.items()],
            [_info(name, types[value]) for name, value in outputs.items()],
            [library().numpy_helper.from_array(array, name) for name, array in constants.items()],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = IR_VERSION
        return model, inputs, outputs

    def _translated(self, node: GraphNode) -> dict[int, str]:
        """Write a node and return the names of what it makes. Raises CannotWrite and what translations raise."""
        operator = node.op
        translation = translation_of(operator)
        if translation is None:
            raise CannotWrite("no translation of it is known")
        if operator.random or "rng" in operator.reserved:
            raise CannotWrite("its random numbers are those of this runtime")
        if self._training and "training" in operator.reserved:
            raise CannotWrite("models predict, and do not train")
        types = self._graph.types
        for number in (*(v for v in node.inputs if v is not None), *node.outputs):
            if types[number].dtype not in CODES:
                raise CannotWrite(f"there is no {types[number].dtype} in ONNX")
        known: dict[str, Any] = {}
        inputs: list[str | None] = []
        for index, value in enumerate(node.inputs):
            argument = operator.inputs[0 if operator.variadic else index]
            if value is not None and argument in translation.constants:
                if value not in self._graph.constants:
                    raise CannotWrite(f"its input {argument} must be known when it is compiled")
                known[argument] = self._graph.constants[value]
                inputs.append(None)
            else:
                inputs.append(None if value is None else self._name(value))
        ins = tuple(TensorType() if v is None else types[v] for v in node.inputs)
        outs = tuple(types[v] for v in node.outputs)
        call = OnnxCall(node.name, node.params, tuple(inputs), ins, outs, known, self._writer)
        results = translation.translate(call)
        names = [results] if isinstance(results, str) else results
        left_out = [v for v in node.outputs[len(names) :] if v in self._used]
        if left_out:
            raise CannotWrite(f"its output {node.outputs.index(left_out[0])} is not computed by its translation")
        return dict(zip(node.outputs, names, strict=False))

    def _name(self, value: int) -> str:
        """Return the name of a value. A value that was not computed here becomes an input or a constant."""
        if value not in self._names:
            if value in self._graph.constants:
                self._names[value] = self._writer.named_array(self._graph.constants[value], f"constant{value}")
            else:
                self._names[value] = self._taken[value] = self._writer.name(f"value{value}")
        return self._names[value]


def _info(name: str, of: TensorType) -> Any:
    return tensor_info(name, of.dtype or "float32", of.shape or (), {})
