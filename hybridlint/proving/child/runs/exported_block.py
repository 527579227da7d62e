"""A block exported to files and imported again, called like the block itself."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hybridlint.proving.child.graph_diagram import node_shapes
from hybridlint.proving.child.graphs import export_graph
from hybridlint.proving.child.loaded_module import LoadedModule

_DATA = re.compile(r"data\d*")


class Imported:
    """An imported graph that accepts the nested inputs of the block it was exported from."""

    def __init__(self, world: LoadedModule, block: Any, inputs: Sequence[Any], renamed: Mapping[str, str]) -> None:
        """Export a hybridized block that has just run on `inputs`. Raises whatever mxnet raises.

        `renamed` maps full parameter names in the reference block to those in `block`.
        """
        self.renamed = renamed
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "block")
            block.export(path)
            symbol, weights = f"{path}-symbol.json", f"{path}-0000.params"
            with open(symbol, encoding="utf-8") as stream:
                self.graph = stream.read()
            count = len(_flat(list(inputs)))
            names = ["data"] if count == 1 else [f"data{k}" for k in range(count)]
            loaded = world.mx.sym.load(symbol)
            used = set(loaded.list_inputs())
            if any(_DATA.fullmatch(name) and name not in names for name in used):
                # A block with its own `__call__` may pass other inputs on than it receives.
                raise NotImplementedError("the graph has other inputs than the block is called with")
            self.places = [k for k, name in enumerate(names) if name in used]
            if not self.places:
                raise NotImplementedError("the graph uses none of the inputs, and is called with one at least")
            with open(weights, "rb") as data:
                flat = _flat(list(inputs))
                used_inputs = [flat[k] for k in self.places]
                self.exported = export_graph(
                    world, self.graph, data.read(), [names[k] for k in self.places], used_inputs
                )
            #: The shapes of the nodes for these inputs, by their names.
            self.shapes = node_shapes(loaded, _known_shapes(block, dict(zip(names, _flat(list(inputs))))))  # noqa: B905
            self.world = world
            with world.scope():
                self.block = world.mx.gluon.SymbolBlock.imports(symbol, [names[k] for k in self.places], weights)
        _keep_constant(block, self.block)

    def __call__(self, *inputs: Any) -> Any:
        """Run the graph on those of the inputs that it uses."""
        flat = _flat(list(inputs))
        with self.world.scope():
            return self.block(*[flat[k] for k in self.places])


def _known_shapes(block: Any, inputs: Mapping[str, Any]) -> dict[str, Sequence[int]]:
    """Return the shapes of a graph's inputs: the parameters of the block that has run, and its arrays."""
    parameters = {name: parameter.shape for name, parameter in block.collect_params().items() if parameter.shape}
    return {**parameters, **{name: array.shape for name, array in inputs.items()}}


def _keep_constant(block: Any, imported: Any) -> None:
    """Let parameters without a gradient have none after the import either: files do not say which these are.

    Indices that are computed from a constant would otherwise need a gradient, which no Embedding gives them.
    """
    known = imported.collect_params()
    for name, parameter in block.collect_params().items():
        if parameter.grad_req == "null" and name in known:
            known[name].grad_req = "null"


def comparable(expected: Mapping[str, Any], found: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return two results reduced to what both have: output arrays by position, and common gradients and states."""
    return _comparable_part(expected, found), _comparable_part(found, expected)


def position_outputs(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return results with their output arrays named by position, as those of a graph are."""
    outputs = [v for name, v in results.items() if _is_output(name) and isinstance(v, np.ndarray)]
    rest = {name: v for name, v in results.items() if not _is_output(name)}
    names = ["output"] if len(outputs) == 1 else [f"output[{k}]" for k in range(len(outputs))]
    return {**dict(zip(names, outputs)), **rest}  # noqa: B905 - the child also runs under Python 3.8


def _comparable_part(results: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    return {name: v for name, v in position_outputs(results).items() if _is_output(name) or name in other}


def _is_output(name: str) -> bool:
    return name.startswith("output")


def _flat(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in _flat(item)]
    return [] if value is None else [value]
