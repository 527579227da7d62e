"""Reads an exported network: its nodes with what is known of their types, and the arrays of its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hybridlint.core.errors import UsageError
from hybridlint.runtime import ndarray, sym
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.types import Shape, TensorType
from hybridlint.runtime.symbol.inference import Inference
from hybridlint.runtime.symbol.node import SymbolEntry, SymbolNode
from hybridlint.runtime.symbol.symbol import Symbol


@record(frozen=True)
class ExportedNetwork:
    """A network in files: its symbol, the arrays of its parameters, the names of its inputs, and its nodes."""

    symbol: Symbol
    arrays: Mapping[str, Any]
    inputs: tuple[str, ...]
    nodes: tuple[SymbolNode, ...]
    types: Inference

    def rank(self, entry: SymbolEntry) -> int | None:
        """Return the number of axes of a value, None if it is not known."""
        shape = self.types.type_of(entry).shape
        return None if shape is None else len(shape)

    def dtype(self, entry: SymbolEntry) -> str | None:
        """Return the dtype of a value, None if it is not known."""
        return self.types.type_of(entry).dtype

    def shape(self, entry: SymbolEntry) -> Shape | None:
        """Return the shape of a value, as far as it is known."""
        return self.types.type_of(entry).shape


def read_network(
    symbol_path: Path, params_path: Path, shapes: Mapping[str, tuple[int, ...]] | None = None
) -> ExportedNetwork:
    """Return the network that `export` wrote. Raises UsageError for files that are none."""
    try:
        symbol = sym.load(str(symbol_path))
    except (MXNetError, OSError, ValueError) as error:
        raise UsageError(f"{symbol_path} is no exported network: {error}") from error
    try:
        loaded = ndarray.load(str(params_path))
    except (MXNetError, OSError, ValueError) as error:
        raise UsageError(f"{params_path} holds no parameters: {error}") from error
    if not isinstance(loaded, Mapping):
        raise UsageError(f"{params_path} holds no parameters by name")
    arrays = {name.removeprefix("arg:").removeprefix("aux:"): array.asnumpy() for name, array in loaded.items()}
    return network_of(symbol, arrays, shapes or {})


def network_of(symbol: Symbol, arrays: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]) -> ExportedNetwork:
    """Return a network of a symbol and its arrays. Inputs without a shape get the number of axes that layers take."""
    known = {name: TensorType(array.shape, array.dtype.name) for name, array in arrays.items()}
    names = [name for name in symbol.list_inputs() if name not in arrays]
    for name in names:
        shape = shapes.get(name) or _taken_shape(symbol, name, arrays)
        known[name] = TensorType(shape, "float32")
    types = Inference(symbol._entries, known, thorough=True)
    types.settle_dtypes()
    needed = _needed(symbol._entries, types.nodes)
    nodes = tuple(node for node in types.nodes if id(node) in needed)
    used = {entry[0].name for node in nodes for entry in _data_entries(node) if entry[0].op is None}
    return ExportedNetwork(symbol, arrays, tuple(name for name in names if name in used), nodes, types)


def _taken_shape(symbol: Symbol, name: str, arrays: Mapping[str, Any]) -> Shape | None:
    """Return the shape that the first layer takes, with a `Dim` for each size that its weight leaves open."""
    from hybridlint.runtime.symbol.node import topological

    for node in topological(symbol._entries):
        if node.op is None or not node.inputs or node.inputs[0] is None or node.inputs[0][0].name != name:
            continue
        weight = node.inputs[1] if len(node.inputs) > 1 else None
        array = None if weight is None else arrays.get(weight[0].name)
        if array is None:
            continue
        if "kernel" in node.params and node.op.name.startswith("Convolution"):
            channels = int(array.shape[1] * node.params.get("num_group", 1))
            return (Dim.fresh(), channels, *(Dim.fresh() for _ in node.params["kernel"]))
        if "num_hidden" in node.params:
            return (Dim.fresh(), int(array.shape[1]))
        if "fix_gamma" in node.params:
            return (Dim.fresh(), len(array), Dim.fresh(), Dim.fresh())
    return None


def _data_entries(node: SymbolNode) -> Sequence[SymbolEntry]:
    """Return the inputs of a node without the labels of output layers."""
    if node.op is None:
        return []
    names = node.op.inputs
    return [
        entry
        for k, entry in enumerate(node.inputs)
        if entry is not None and not (not node.op.variadic and names[k] == "label" and entry[0].op is None)
    ]


def _needed(entries: Sequence[SymbolEntry], nodes: Sequence[SymbolNode]) -> set[int]:
    """Return the ids of the nodes that the result depends on."""
    needed = {id(node) for node, _ in entries}
    for node in reversed(nodes):
        if id(node) in needed:
            needed |= {id(entry[0]) for entry in _data_entries(node)}
    return needed
