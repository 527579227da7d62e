"""A call of an operator, as its translation sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from hybridlint.runtime.facts.types import Shape, TensorType
from hybridlint.runtime.onnx.dtypes import CODES, is_float
from hybridlint.runtime.onnx.mx2onnx.writer import GraphWriter


class NotTranslatableError(ValueError):
    """A call means something that ONNX, or this translation of it, cannot say."""


@dataclass(frozen=True, slots=True)
class OnnxCall:
    """A call: its parameters, the values of its inputs (None where absent), and the types of inputs and outputs.

    `known` has the arrays of the inputs whose values the translation asked for.
    """

    name: str
    params: Mapping[str, Any]
    inputs: tuple[str | None, ...]
    ins: tuple[TensorType, ...]
    outs: tuple[TensorType, ...]
    known: Mapping[str, Any]
    writer: GraphWriter

    @property
    def data(self) -> str:
        """The first input."""
        return self.input(0)

    @property
    def shape(self) -> Shape:
        """The shape of the first input."""
        return self.shape_of(0)

    @property
    def rank(self) -> int:
        """The number of dimensions of the first input."""
        return len(self.shape)

    @property
    def dtype(self) -> str:
        """The dtype of the first output."""
        return self.outs[0].dtype or "float32"

    def input(self, index: int) -> str:
        """Return the value of an input that must be there."""
        value = self.inputs[index] if index < len(self.inputs) else None
        return value if value is not None else self.refuse(f"its input {index} is missing")

    def has(self, index: int) -> bool:
        """Whether an input is there."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def shape_of(self, index: int) -> Shape:
        """Return the shape of an input."""
        shape = self.ins[index].shape
        return shape if shape is not None else self.refuse(f"the shape of its input {index} is not known")

    def result_shape(self, index: int = 0) -> Shape:
        """Return the shape of an output."""
        shape = self.outs[index].shape
        return shape if shape is not None else self.refuse("the shape of its result is not known")

    def axis(self, axis: int) -> int:
        """Return an axis of the first input, counted from the first."""
        return axis % max(self.rank, 1)

    def static(self, sizes: Shape) -> tuple[int, ...]:
        """Return sizes that must be known when the file is written."""
        return tuple(s if isinstance(s, int) else self.refuse("it needs sizes that are not dynamic") for s in sizes)

    def refuse(self, reason: str) -> NoReturn:
        """Raise NotTranslatableError with the reason, a clause about the operator."""
        raise NotTranslatableError(reason)

    # -- what is written

    def emit(self, kind: str, *inputs: str | None, **attributes: Any) -> str:
        """Add a node with one output and return that."""
        return self.writer.emit(kind, inputs, self.name, **attributes)[0]

    def emit_several(self, kind: str, inputs: Sequence[str | None], outputs: int, **attributes: Any) -> list[str]:
        """Add a node with several outputs and return them."""
        return self.writer.emit(kind, inputs, self.name, outputs, **attributes)

    def array(self, value: Any, dtype: str | None = None) -> str:
        """Return a constant, of the dtype of the result unless another is given."""
        return self.writer.array(np.asarray(value, dtype or self.dtype), f"{self.name}_constant")

    def ints(self, *values: int) -> str:
        """Return a constant vector of int64, as shapes and axes are given."""
        return self.array(values, "int64")

    def cast(self, value: str, to: str, of: str | None = None) -> str:
        """Return a value in another dtype; unchanged if it is known to have that one."""
        return value if of == to else self.emit("Cast", value, to=CODES[to])

    def truth(self, index: int) -> str:
        """Return whether the elements of an input differ from 0."""
        return self.cast(self.input(index), "bool", self.ins[index].dtype)

    def whole(self, index: int) -> str:
        """Return an input as int64, as indices are given; fractions are cut off."""
        return self.cast(self.input(index), "int64", self.ins[index].dtype)

    def floats(self, index: int = 0) -> tuple[str, str]:
        """Return an input in a dtype with fractions, and that dtype: its own, or float64 for whole numbers."""
        dtype = self.ins[index].dtype or "float32"
        wide = dtype if is_float(dtype) else "float64"
        return self.cast(self.input(index), wide, dtype), wide

    def reshaped(self, value: str, shape: Shape) -> str:
        """Return a value in another shape, of which one size is left to be inferred where it is dynamic."""
        unknown = [k for k, size in enumerate(shape) if not isinstance(size, int)]
        if len(unknown) == 1 and 0 not in shape:
            sizes = [size if isinstance(size, int) else -1 for size in shape]
            return self.emit("Reshape", value, self.ints(*sizes))
        return self.emit("Reshape", value, self.sizes(shape))

    def sizes(self, shape: Shape) -> str:
        """Return a shape as a vector."""
        return self.writer.shape(shape, self.name)

    def filled(self, value: Any, shape: Shape, dtype: str) -> str:
        """Return one number in every element of a shape."""
        if all(isinstance(size, int) for size in shape):
            return self.array(np.full(shape, value, dtype), dtype)
        return self.emit("Expand", self.array(value, dtype), self.sizes(shape))

    def transposed(self, value: str, order: Sequence[int]) -> str:
        """Return a value with its axes in another order."""
        return value if list(order) == sorted(order) else self.emit("Transpose", value, perm=list(order))

    def sliced(self, value: str, axis: int, begin: int, end: int, step: int = 1) -> str:
        """Return a part of a value along an axis."""
        return self.emit("Slice", value, self.ints(begin), self.ints(end), self.ints(axis), self.ints(step))
