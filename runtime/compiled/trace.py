"""Lowering of a Symbol to a typed graph, once per combination of input types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.graph import Graph, GraphNode
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.symbol.inference import Inference
from hybridlint.runtime.symbol.node import SymbolNode, topological
from hybridlint.runtime.symbol.symbol import Symbol


def lower(symbol: Symbol, known: Mapping[str, TensorType]) -> Graph:
    """Return the graph of a symbol for inputs of known types, in the order of ``list_inputs``: they are numbered first.

    Raises MXNetError if types are incompatible or cannot be inferred. The message names the user's line.
    """
    inference = Inference(symbol._entries, known)
    inference.settle_dtypes()
    variables_first = sorted(inference.nodes, key=lambda node: node.op is not None)
    places = ((id(node), index) for node in variables_first for index in range(node.outputs))
    numbers = {place: number for number, place in enumerate(places)}
    types: dict[int, TensorType] = {}
    inputs: list[int] = []
    nodes: list[GraphNode] = []
    for node in inference.nodes:
        made = []
        for index in range(node.outputs):
            value = numbers[id(node), index]
            types[value] = _complete_type(node, inference.type_of((node, index)))
            made.append(value)
        if node.op is None:
            inputs += made
            continue
        sources = tuple(None if e is None else numbers[id(e[0]), e[1]] for e in node.inputs)
        nodes.append(GraphNode(node.op, _concrete(node, types[made[0]]), sources, tuple(made), node.name, node.source))
    outputs = tuple(numbers[id(node), index] for node, index in symbol._entries)
    return Graph(tuple(inputs), tuple(nodes), outputs, types)


def concrete_params(symbol: Symbol, known: Mapping[str, TensorType]) -> dict[int, Mapping[str, Any]]:
    """Return the parameters of nodes that make arrays of sizes left open, by identity: with those that inputs tell.

    Raises MXNetError if the known types are incompatible.
    """
    nodes = [node for node in topological(symbol._entries) if node.op is not None and not node.inputs]
    if not any(_leaves_open(node.params) for node in nodes):
        return {}
    inference = Inference(symbol._entries, known)
    types = ((node, inference.type_of((node, 0))) for node in nodes)
    return {id(node): _concrete(node, found) for node, found in types if TensorType(found.shape, "float32").known}


def _leaves_open(params: Mapping[str, Any]) -> bool:
    shape = params.get("shape")
    sizes = shape if isinstance(shape, tuple) else ()
    return bool(params.get("infer_range")) or any(not isinstance(size, int) or size <= 0 for size in sizes)


def _complete_type(node: SymbolNode, found: TensorType) -> TensorType:
    if found.known:
        return found
    if node.op is not None and not node.inputs and found.shape is None:
        return TensorType((1,), found.dtype or "float32")
    place = f" at {node.source}" if node.source else ""
    raise MXNetError(f"Error in operator {node.name}{place}: its shape {found} cannot be inferred from the inputs")


def _concrete(node: SymbolNode, result: TensorType) -> Mapping[str, Any]:
    """Give a creation operator with unknown sizes the shape inferred from its use."""
    if node.params.get("infer_range") and node.params.get("stop") is None and result.shape is not None:
        count = int(result.shape[0]) // node.params["repeat"]  # type: ignore[arg-type]
        return {**node.params, "stop": node.params["start"] + count * node.params["step"]}
    given = node.params.get("shape")
    # The `shape` of a distribution may be one of its parameters, a number.
    if node.inputs or "shape" not in node.params or isinstance(given, float) or given == result.shape:
        return node.params
    return {**node.params, "shape": result.shape}
