"""The exported graph of a block, and its outputs where none of the project's code has run."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hybridlint.core import schema
from hybridlint.proving.child.build.blocks import drawing, seed_all

if TYPE_CHECKING:
    from hybridlint.proving.child.loaded_module import LoadedModule

#: What the process that runs an exported graph sends with its outputs: why there are none.
OF_GRAPH = schema.fields({}, {"failed": schema.text()})
#: An operator that is the project's own code.
CUSTOM = '"Custom"'


class Exported(NamedTuple):
    """An exported graph: its JSON, the bytes of its parameters, and the names and values of its inputs.

    `unordered` says that it ran with random numbers that do not depend on those drawn before.
    """

    graph: str
    weights: Any
    names: Sequence[str]
    inputs: Sequence[Any]
    numpy_mode: bool
    unordered: bool = False

    def outputs(self, mx: Any) -> list[Any]:
        """Return the outputs of the first call, in predict mode. Raises whatever mxnet raises."""
        with tempfile.TemporaryDirectory() as folder:
            symbol, weights = (os.path.join(folder, name) for name in ("graph.json", "graph.params"))
            with open(symbol, "w", encoding="utf-8") as text:
                text.write(self.graph)
            with open(weights, "wb") as data:
                data.write(self.weights.tobytes())
            with mx.util.np_shape(self.numpy_mode), mx.util.np_array(self.numpy_mode):
                block = mx.gluon.SymbolBlock.imports(symbol, list(self.names), weights)
                array = mx.np.array if self.numpy_mode else mx.nd.array
                seed_all(mx, 1)
                with drawing(mx, unordered=self.unordered):
                    found = block(*[array(value, dtype=value.dtype) for value in self.inputs])
                return [leaf.asnumpy() for leaf in _flat(found)]


def export_graph(
    world: LoadedModule, graph: str, weights: bytes, names: Sequence[str], inputs: Sequence[Any]
) -> Exported:
    """Return a graph with what it takes to run it elsewhere; `inputs` are mxnet's arrays."""
    values = [value.asnumpy() for value in inputs]
    return Exported(graph, np.frombuffer(weights, np.uint8), names, values, world.numpy_mode)


def _flat(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in _flat(item)] if isinstance(value, (list, tuple)) else [value]
