"""The compiled form of a network in a file: its graph, steps, buffers, and the time of each part."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from hybridlint.core.errors import UsageError
from hybridlint.core.proof_outcome import ReportedNode
from hybridlint.runtime import sym
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.engines.choice import chosen_engine
from hybridlint.runtime.compiled.engines.protocol import Engine
from hybridlint.runtime.compiled.explanation import CompiledGraph
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.symbol.symbol import Symbol

#: How often a part is run to find its least time.
_RUNS = 20


@record(frozen=True)
class ShownGraph:
    """A network compiled for the shapes of its inputs."""

    graph: Graph
    names: tuple[str, ...]
    compiled: CompiledGraph

    def text(self, *, timed: bool) -> str:
        """Return steps and buffers in words, with the least times of all parts if asked; on drawn numbers."""
        if not timed:
            return str(self.compiled)
        generator = np.random.default_rng(0)
        types = [self.graph.types[v] for v in self.graph.inputs]
        arrays = [np.asarray(generator.uniform(0.5, 1.5, _sizes(t))).astype(t.dtype or "float32") for t in types]
        return self.compiled.text(self.compiled.executor.timed(arrays, _RUNS))

    def nodes(self) -> tuple[ReportedNode, ...]:
        """Return the nodes for a picture; those in native code are told from others."""
        native = {id(n) for s in self.compiled.executor.steps if s.engine != "numpy" for n in s.nodes}
        place = {v: k for k, v in enumerate(self.graph.inputs)}
        types = [self.graph.types[value] for value in self.graph.inputs]
        found = [ReportedNode(name, "", (), None, "", _sizes(t)) for name, t in zip(self.names, types, strict=True)]
        for node in self.graph.nodes:
            inputs = tuple(place[v] for v in node.inputs if v in place)
            place.update(dict.fromkeys(node.outputs, len(found)))
            shape = _sizes(self.graph.types[node.outputs[0]]) or None
            state = "agrees" if id(node) in native else ""
            found.append(ReportedNode(node.name, node.op.name, inputs, None, state, shape))
        return tuple(found)


def compile_network(path: Path, shapes: Mapping[str, tuple[int, ...]], engine: str | None) -> ShownGraph:
    """Compile the network of a file for predicting. Raises UsageError for what is no network, or unknown shapes."""
    symbol = _loaded(path)
    names = tuple(symbol.list_inputs())
    unknown = next((name for name in shapes if name not in names), None)
    if unknown is not None:
        raise UsageError(f"{path} has no input {unknown}; it has {', '.join(names)}")
    chosen = _engine(engine)
    try:
        graph = optimize(lower(symbol, {name: TensorType(shape) for name, shape in shapes.items()}))
    except MXNetError as error:
        told = f"give the shapes of inputs with --input NAME=2,3; the network has {', '.join(names)}"
        raise UsageError(f"{error}: {told}") from error
    executor = chosen.compile(graph, training=False, static_alloc=True)
    inputs = [(n, graph.types[v]) for n, v in zip(names, graph.inputs, strict=True) if n in shapes]
    listed = [(name, _sizes(t), t.dtype or "float32") for name, t in inputs]
    return ShownGraph(graph, names, CompiledGraph("predicting", listed, executor))


def _sizes(known: TensorType) -> tuple[int, ...]:
    return tuple(size for size in known.shape or () if isinstance(size, int))


def _engine(name: str | None) -> Engine:
    try:
        return chosen_engine(name)
    except MXNetError as error:
        raise UsageError(str(error)) from error


def _loaded(path: Path) -> Symbol:
    try:
        # What cannot be read is told in the words of the system; the runtime has MXNet's error for it.
        path.open("rb").close()
        found: Symbol = sym.load(str(path))
    except OSError as error:
        raise UsageError(f"{path}: cannot read the file: {error.strerror}") from error
    except (MXNetError, ValueError, KeyError) as error:
        raise UsageError(f"{path} is no network that `export` writes: {error}") from error
    return found
