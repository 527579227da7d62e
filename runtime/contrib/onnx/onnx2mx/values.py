"""The values of an ONNX graph while it is read: constants, symbols with their types, and vectors of sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.dims import DimLike
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.symbol import var
from hybridlint.runtime.symbol.calls import call
from hybridlint.runtime.symbol.node import SymbolNode
from hybridlint.runtime.symbol.symbol import Symbol


class NotReadableError(ValueError):
    """A node means something that MXNet, or this reading of it, cannot say."""


class Values:
    """Facts about each name in the graph. Constants become parameters if an operator takes them as an array."""

    def __init__(self) -> None:
        self.params: dict[str, Any] = {}
        self._arrays: dict[str, Any] = {}
        self._symbols: dict[str, Symbol] = {}
        self._sizes: dict[str, tuple[DimLike, ...]] = {}
        self._named: set[int] = set()
        # Nodes are kept with their types, so that no other object gets the same id.
        self._types: dict[int, tuple[SymbolNode, tuple[TensorType, ...]]] = {}

    def add_input(self, name: str, known: TensorType) -> Symbol:
        """Add an input of the graph."""
        symbol = self._variable(name, known)
        self._symbols[name] = symbol
        return symbol

    def add_array(self, name: str, array: Any) -> None:
        """Add a constant."""
        self._arrays[name] = array

    def add_symbol(self, name: str, symbol: Symbol) -> None:
        """Add the output of a node, whose name the operator's own node gets if it has one output."""
        node = symbol._entries[0][0]
        if node.op is not None and node.visible == 1 and id(node) not in self._named:
            node.name = name
            self._named.add(id(node))
        self._symbols[name] = symbol

    def add_sizes(self, name: str, sizes: tuple[DimLike, ...]) -> None:
        """Add a vector of sizes."""
        self._sizes[name] = sizes

    def array(self, name: str) -> Any:
        """Return a constant, None for anything else."""
        return self._arrays.get(name)

    def sizes(self, name: str) -> tuple[DimLike, ...] | None:
        """Return a vector of sizes, which may be a constant; None for anything else."""
        array = self._arrays.get(name)
        if array is not None and array.dtype.kind == "i":
            return tuple(int(n) for n in array.reshape(-1))
        return self._sizes.get(name)

    def knows(self, name: str) -> bool:
        """Whether a name has a symbol."""
        return name in self._symbols

    def symbol(self, name: str) -> Symbol:
        """Return a name's symbol. Raises NotReadableError for sizes that are dynamic."""
        if name not in self._symbols:
            array, sizes = self._arrays.get(name), self._sizes.get(name)
            if array is None and sizes is not None and all(isinstance(size, int) for size in sizes):
                array = np.array(sizes, "int64")
            if array is None:
                raise NotReadableError(f"{name} is a dynamic size, or made by no node before")
            self._symbols[name] = self.parameter(array, name)
        return self._symbols[name]

    def parameter(self, array: Any, name: str) -> Symbol:
        """Return a new parameter with these values; MXNet has no arrays without dimensions, and no truth values."""
        array = np.asarray(array)
        array = array.astype("float32") if array.dtype == "bool" else array
        array = array.reshape(1) if array.ndim == 0 else array
        chosen, number = name, 0
        while chosen in self.params:
            number += 1
            chosen = f"{name}_{number}"
        self.params[chosen] = array
        return self._variable(chosen, TensorType(array.shape, array.dtype.name))

    def _variable(self, name: str, known: TensorType) -> Symbol:
        symbol = var(name, dtype=known.dtype)
        node = symbol._entries[0][0]
        self._types[id(node)] = (node, (known,))
        return symbol

    def type_of(self, symbol: Symbol) -> TensorType:
        """Return the type of a symbol with one output."""
        node, index = symbol._entries[0]
        return self._types[id(node)][1][index]

    def call(self, name: str, inputs: Sequence[Symbol], params: Mapping[str, Any]) -> Symbol:
        """Return the symbol of a call, whose type follows from those of its inputs."""
        operator = registry.get(name)
        symbol = call(operator, operator.name.strip("_").lower(), inputs, params)
        node = symbol._entries[0][0]
        for argument, entry in zip(operator.inputs, node.inputs, strict=False):
            if entry is not None and id(entry[0]) not in self._types:
                raise NotReadableError(f"its input {argument} is missing")
        ins = [TensorType() if e is None else self._types[id(e[0])][1][e[1]] for e in node.inputs]
        ins = list(operator.complete_types(tuple(ins), node.params))
        self._types[id(node)] = (node, operator.infer_types(ins, node.params))
        return symbol
