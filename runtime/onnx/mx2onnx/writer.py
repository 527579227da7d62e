"""The graph that is written: nodes of ONNX, the constants that they use, and sizes known only when it runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.types import Shape
from hybridlint.runtime.onnx.dtypes import CODES
from hybridlint.runtime.onnx.library import library


class UnknownSizeError(ValueError):
    """A size does not follow from the sizes of the inputs."""


class GraphWriter:
    """Collects nodes in order. Values are names: of inputs, constants, and outputs of nodes."""

    def __init__(self, inputs: Mapping[str, Shape]) -> None:
        self.nodes: list[Any] = []
        self.constants: dict[str, np.ndarray[Any, Any]] = {}
        self._taken = set(inputs)
        self._kept: dict[tuple[Any, ...], str] = {}
        self._places = {
            size.terms[0][0][0]: (name, axis)
            for name, shape in inputs.items()
            for axis, size in enumerate(shape)
            if isinstance(size, Dim)
        }

    def name(self, wanted: str) -> str:
        """Return a name like this one that nothing else has."""
        found, number = wanted, 0
        while found in self._taken:
            number += 1
            found = f"{wanted}_{number}"
        self._taken.add(found)
        return found

    def array(self, value: Any, name: str = "constant") -> str:
        """Return the name of a constant. Equal small constants share a name."""
        array = np.asarray(value)
        key = (array.dtype.str, array.shape, array.tobytes()) if array.size <= 16 else (id(array),)
        if key not in self._kept:
            self._kept[key] = self.named_array(array, name)
        return self._kept[key]

    def named_array(self, array: Any, name: str) -> str:
        """Return the name of a new constant, `name` itself if that is free."""
        self._kept[id(array),] = chosen = self.name(name)
        self.constants[chosen] = array
        return chosen

    def emit(
        self, kind: str, inputs: Sequence[str | None], hint: str, outputs: int = 1, **attributes: Any
    ) -> list[str]:
        """Add a node of this kind and return the names of its outputs. An absent input is None."""
        names = [self.name(f"{hint}_{kind.lower()}") for _ in range(outputs)]
        given = {key: value for key, value in attributes.items() if value is not None}
        known = [value or "" for value in inputs]
        while known and not known[-1]:
            known.pop()
        self.nodes.append(library().helper.make_node(kind, known, names, name=names[0], **given))
        return names

    def rename(self, old: str, wanted: str, since: int) -> str:
        """Give the output of a node added after the first `since` another name. Values made before keep theirs."""
        made = any(old in node.output for node in self.nodes[since:])
        if not made or wanted in self._taken:
            return old
        self._taken.add(wanted)
        for node in self.nodes[since:]:
            for names in (node.input, node.output):
                names[:] = [wanted if name == old else name for name in names]
            node.name = wanted if node.name == old else node.name
        return wanted

    def shape(self, shape: Shape, hint: str) -> str:
        """Return the name of a shape as a vector: a constant, or put together from the sizes of the inputs."""
        if all(isinstance(size, int) for size in shape):
            return self.array(np.array(shape, "int64"))
        return self.emit("Concat", [self.size(size, hint) for size in shape], hint, axis=0)[0]

    def size(self, size: DimLike, hint: str) -> str:
        """Return the name of a size as a vector of one element. Raises UnknownSizeError."""
        if isinstance(size, int):
            return self.array(np.array([size], "int64"))
        terms = [self._product(names, factor, hint) for names, factor in size.terms]
        return self._joined("Add", terms, hint)

    def _product(self, names: Iterable[str], factor: int, hint: str) -> str:
        sizes = [self._input_size(name, hint) for name in names]
        if factor != 1 or not sizes:
            sizes.append(self.array(np.array([factor], "int64")))
        return self._joined("Mul", sizes, hint)

    def _joined(self, kind: str, values: Sequence[str], hint: str) -> str:
        result = values[0]
        for value in values[1:]:
            result = self.emit(kind, [result, value], hint)[0]
        return result

    def _input_size(self, name: str, hint: str) -> str:
        key = ("size", name)
        if key not in self._kept:
            if name not in self._places:
                raise UnknownSizeError(f"a size of its result, {name}, does not follow from the sizes of the inputs")
            source, axis = self._places[name]
            whole = self.emit("Shape", [source], hint)[0]
            self._kept[key] = self.emit("Gather", [whole, self.array(np.array([axis], "int64"))], hint, axis=0)[0]
        return self._kept[key]

    def used_constants(self, outputs: Iterable[str]) -> dict[str, Any]:
        """Return the constants that nodes or outputs use."""
        used = {name for node in self.nodes for name in node.input} | set(outputs)
        return {name: array for name, array in self.constants.items() if name in used}


def tensor_info(name: str, dtype: str, shape: Shape, shown: Mapping[str, str]) -> Any:
    """Return the declaration of an input or output; `shown` has the names that users gave to sizes."""
    sizes = [size if isinstance(size, int) else shown.get(str(size)) for size in shape]
    return library().helper.make_tensor_value_info(name, CODES[dtype], sizes)
