"""A node of an ONNX graph, as its reading sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from hybridlint.runtime.contrib.onnx.onnx2mx.values import NotReadableError, Values
from hybridlint.runtime.facts.dims import DimLike
from hybridlint.runtime.facts.types import Shape, TensorType
from hybridlint.runtime.onnx.dtypes import NAMES, is_float
from hybridlint.runtime.symbol.symbol import Symbol


@dataclass(frozen=True, slots=True)
class Node:
    """A node: its kind, its attributes, the names of its inputs ("" where absent), and the version of its operators."""

    kind: str
    attributes: Mapping[str, Any]
    inputs: tuple[str, ...]
    outputs: int
    version: int
    values: Values

    @property
    def data(self) -> Symbol:
        """The first input."""
        return self.input(0)

    @property
    def shape(self) -> Shape:
        """The shape of the first input."""
        return self.shape_of(self.data)

    @property
    def rank(self) -> int:
        """The number of dimensions of the first input."""
        return len(self.shape)

    def has(self, index: int) -> bool:
        """Whether an input is there."""
        return index < len(self.inputs) and self.inputs[index] != ""

    def input(self, index: int) -> Symbol:
        """Return an input as a symbol; a constant becomes a parameter."""
        if not self.has(index):
            self.refuse(f"its input {index} is missing")
        return self.values.symbol(self.inputs[index])

    def constant(self, index: int) -> Any:
        """Return the array of an input that must be a constant of the file."""
        array = self.values.array(self.inputs[index]) if self.has(index) else None
        return self.refuse(f"its input {index} must be a constant of the file") if array is None else array

    def is_constant(self, index: int) -> bool:
        """Whether an input is a constant of the file."""
        return self.has(index) and self.values.array(self.inputs[index]) is not None

    def sizes(self, index: int) -> tuple[DimLike, ...]:
        """Return an input that is a vector of sizes: constants, or sizes of the graph's own inputs."""
        found = self.values.sizes(self.inputs[index]) if self.has(index) else None
        return self.refuse(f"its input {index} must follow from sizes of the inputs") if found is None else found

    def numbers(self, index: int, attribute: str) -> tuple[int, ...] | None:
        """Return whole numbers that older versions have in an attribute and newer ones in an input, None if absent."""
        if self.has(index):
            return tuple(int(n) for n in np.asarray(self.constant(index)).reshape(-1))
        given = self.attributes.get(attribute)
        return None if given is None else tuple(given)

    def axis(self, default: int = 0) -> int:
        """Return the attribute `axis`, counted from the first."""
        return int(self.attributes.get("axis", default)) % max(self.rank, 1)

    def type_of(self, symbol: Symbol) -> TensorType:
        """Return the type of a symbol."""
        return self.values.type_of(symbol)

    def shape_of(self, symbol: Symbol) -> Shape:
        """Return the shape of a symbol."""
        shape = self.type_of(symbol).shape
        return self.refuse("the number of dimensions of an input is not known") if shape is None else shape

    def static(self, sizes: Shape) -> tuple[int, ...]:
        """Return sizes that must be fixed in the file."""
        return tuple(s if isinstance(s, int) else self.refuse("it needs sizes that are not dynamic") for s in sizes)

    def refuse(self, reason: str) -> NoReturn:
        """Raise NotReadableError with the reason, a clause about the node."""
        raise NotReadableError(reason)

    # -- what is made

    def call(self, name: str, *inputs: Symbol, **params: Any) -> Symbol:
        """Return the symbol of a call of MXNet's operator."""
        return self.values.call(name, inputs, params)

    def parameter(self, array: Any, hint: str) -> Symbol:
        """Return a parameter with these values."""
        return self.values.parameter(array, hint)

    def truth(self, symbol: Symbol) -> Symbol:
        """Return a comparison as float32, the form in which truth values go through the graph."""
        return symbol if self.type_of(symbol).dtype == "float32" else self.call("Cast", symbol, dtype="float32")

    def cast(self, symbol: Symbol, dtype: str) -> Symbol:
        """Return a symbol in another dtype."""
        return symbol if self.type_of(symbol).dtype == dtype else self.call("Cast", symbol, dtype=dtype)

    def dtype(self, code: int) -> str:
        """Return the dtype that a number represents."""
        return NAMES[code] if code in NAMES else self.refuse(f"MXNet has no dtype for the type {code}")

    def is_float(self, symbol: Symbol) -> bool:
        """Whether a symbol has fractions."""
        return is_float(self.type_of(symbol).dtype)

    def reshape(self, symbol: Symbol, shape: Shape) -> Symbol:
        """Return a symbol in another shape; dynamic sizes are copied from the same place, and one is inferred."""
        before = self.shape_of(symbol)
        codes: list[int] = []
        for place, size in enumerate(shape):
            if isinstance(size, int):
                codes.append(size)
            elif place < len(before) and before[place] == size:
                codes.append(0)
            else:
                codes.append(-1)
        if codes.count(-1) > 1:
            self.refuse("more than one dynamic size of its result moves to another place")
        if not codes:
            codes = [1]
        return self.call("Reshape", symbol, shape=tuple(codes))
