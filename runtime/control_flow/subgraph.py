"""Subgraphs cut out of a symbolic graph, compiled per combination of input types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled import trace
from hybridlint.runtime.compiled.compile_cache import CompileCache
from hybridlint.runtime.compiled.engines.choice import PLAIN, chosen_engine
from hybridlint.runtime.compiled.engines.protocol import Executor
from hybridlint.runtime.compiled.gradient import Differentiated, differentiate
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.core.imperative import type_of
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.platforms import Raw, platform_of
from hybridlint.runtime.symbol.inference import Inference
from hybridlint.runtime.symbol.node import SymbolEntry, SymbolNode, topological
from hybridlint.runtime.symbol.symbol import Symbol

MARK = "__subgraph_name__"


@dataclass(frozen=True, slots=True)
class Piece:
    """Outputs over variables of their own. `outside` maps a variable's id to the outer value it represents."""

    graph: Symbol
    variables: tuple[SymbolNode, ...]
    outside: Mapping[int, SymbolEntry]


def cut(outputs: Sequence[Symbol], mark: str, placeholders: Sequence[Symbol] = ()) -> Piece:
    """Cut out the nodes created under a mark.

    Values from outside become variables. Variables created under the mark also belong outside (they are parameters of
    blocks first called there), except the `placeholders`. Raises AssertionError if two variables share a name.
    """
    own = {id(symbol._entries[0][0]) for symbol in placeholders}
    outside: dict[int, SymbolEntry] = {}
    stand_ins: dict[tuple[int, int], SymbolNode] = {}
    copies: dict[int, SymbolNode] = {}

    def inner(entry: SymbolEntry | None) -> SymbolEntry | None:
        if entry is None:
            return None
        node, index = entry
        marked = node.attributes.get(MARK) == mark
        if marked and (node.op is not None or id(node) in own):
            return copies.get(id(node), node), index
        key = (id(node), index)
        if key not in stand_ins:
            stand_ins[key] = node if marked else SymbolNode(None, node.output_name(index))
            outside[id(stand_ins[key])] = entry
        return stand_ins[key], 0

    entries = [e for symbol in outputs for e in symbol._entries]
    for node in topological(entries):
        if node.op is not None and node.attributes.get(MARK) == mark:
            copies[id(node)] = replace(node, inputs=[inner(e) for e in node.inputs])
    graph = Symbol([e for e in map(inner, entries) if e is not None])
    variables = tuple(node for node in topological(graph._entries) if node.op is None)
    names = [node.name for node in variables]
    if len(set(names)) != len(names):
        raise AssertionError(f"The inputs of the subgraph don't have unique names: {names}")
    return Piece(graph, variables, outside)


class Subgraph:
    """A symbol that runs many times, compiled once per combination of types.

    Arrays are given in the order of `inputs`, the names of all its variables (default: the order of ``list_inputs``).
    """

    def __init__(self, symbol: Symbol, inputs: Sequence[str] | None = None) -> None:
        self.symbol = symbol
        self.inputs = tuple(symbol.list_inputs() if inputs is None else inputs)
        self.outputs = len(symbol._entries)
        self._place = {name: k for k, name in enumerate(self.inputs)}
        self._order = symbol.list_inputs()
        self._graphs: CompileCache[Any, Graph] = CompileCache()
        self._forward: CompileCache[Any, Executor] = CompileCache()
        self._training: CompileCache[Any, tuple[Differentiated, Executor, Executor]] = CompileCache()

    def infer(self, types: Sequence[TensorType]) -> tuple[list[TensorType], list[TensorType]]:
        """Return the inferred types of inputs and outputs. Raises InferError if they are incompatible."""
        known = {name: t for name, t in zip(self.inputs, types, strict=True) if name in self._order}
        try:
            inference = Inference(self.symbol._entries, known)
        except MXNetError as error:
            raise InferError("body", str(error)) from error
        variables = {n.name: inference.type_of((n, 0)) for n in inference.nodes if n.op is None}
        ins = [variables.get(name, t) for name, t in zip(self.inputs, types, strict=True)]
        return ins, [inference.type_of(e) for e in self.symbol._entries]

    def run(self, raws: Sequence[Raw], *, training: bool, rng: Any) -> tuple[Raw, ...]:
        """Return the outputs. Raises MXNetError if a kernel fails."""
        key = self._key(raws, training)
        found = self._forward.get(key)
        if found is None:
            found = self._forward.keep(key, chosen_engine().compile(self._graph(key, raws), training=training))
        return found(self._ordered(raws), rng)

    def run_recorded(self, raws: Sequence[Raw], *, training: bool, rng: Any) -> tuple[tuple[Raw, ...], tuple[Raw, ...]]:
        """Return the outputs, and the residuals that `pull` needs."""
        pair, forward, _ = self._differentiated(self._key(raws, training), raws)
        ordered = self._ordered(raws)
        results = forward(ordered, rng)
        return results[: pair.outputs], (*(ordered[k] for k in pair.saved), *results[pair.outputs :])

    def pull(
        self, raws: Sequence[Raw], residuals: Sequence[Raw], heads: Sequence[Raw], *, training: bool
    ) -> list[Raw | None]:
        """Return each input's gradient; None if no output depends on it or its gradient is refused."""
        pair, _, backward = self._differentiated(self._key(raws, training), raws)
        found = dict(zip(pair.wanted, backward([*residuals, *heads]), strict=True))
        by_name = {self._order[k]: gradient for k, gradient in found.items()}
        return [by_name.get(name) for name in self.inputs]

    def _key(self, raws: Sequence[Raw], training: bool) -> Any:
        return tuple((r.shape, r.dtype) for r in raws), training

    def _ordered(self, raws: Sequence[Raw]) -> list[Raw]:
        return [raws[self._place[name]] for name in self._order]

    def _graph(self, key: Any, raws: Sequence[Raw]) -> Graph:
        found = self._graphs.get(key)
        if found is None:
            known = {name: type_of(raws[self._place[name]]) for name in self._order}
            found = self._graphs.keep(key, optimize(trace.lower(self.symbol, known)))
        return found

    def _differentiated(self, key: Any, raws: Sequence[Raw]) -> tuple[Differentiated, Executor, Executor]:
        found = self._training.get(key)
        if found is None:
            floats = [k for k, raw in enumerate(self._ordered(raws)) if raw.dtype.kind == "f"]
            pair = differentiate(self._graph(key, raws), floats, key[1])
            forward = PLAIN.compile(pair.forward, training=key[1], results=pair.outputs)
            backward = PLAIN.compile(optimize(pair.backward), training=key[1])
            found = self._training.keep(key, (pair, forward, backward))
        return found


def add_gradients(total: Raw | None, more: Raw | None) -> Raw | None:
    """Add two gradients, each of which may be None."""
    if total is None or more is None:
        return more if total is None else total
    return platform_of([total]).xp.add(total, more)  # type: ignore[no-any-return]


def zeros_for(gradient: Raw | None, like: Raw) -> Raw:
    """Return the gradient, or zeros if it is None."""
    return platform_of([like]).xp.zeros_like(like) if gradient is None else gradient
