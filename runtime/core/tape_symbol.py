"""Recorded computations as symbols: ``autograd.get_symbol``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.runtime.autograd import TapeNode
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.cached_op import CachedOp
from hybridlint.runtime.control_flow.subgraph import Subgraph
from hybridlint.runtime.control_flow.subgraph_operators import make_operator
from hybridlint.runtime.core.operator_params import show
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.symbol.node import SymbolEntry, SymbolNode
from hybridlint.runtime.symbol.symbol import Symbol, compose

if TYPE_CHECKING:
    from hybridlint.runtime.core.imperative import Raw


def get_symbol(array: NDArray) -> Symbol:
    """Return the recorded computation of an array. Marked variables and other inputs become variables.

    Raises MXNetError if the array was not recorded, or if a backward pass freed the record.
    """
    if array._entry is None:
        raise MXNetError("NDArray is not part of a computation graph. Did you forget to turn on recording?")
    found = _Tape()
    found.visit(array._entry[0])
    return Symbol([found.entry(array._entry)])


class _Tape:
    """The symbols of the tape nodes visited so far."""

    def __init__(self) -> None:
        self._entries: dict[int, list[SymbolEntry]] = {}
        self._leaves: dict[int, SymbolEntry] = {}
        self._count = 0

    def entry(self, entry: tuple[TapeNode, int]) -> SymbolEntry:
        return self._entries[id(entry[0])][entry[1]]

    def visit(self, root: TapeNode) -> None:
        stack = [root]
        while stack:
            node = stack[-1]
            waiting = [e[0] for e in node.inputs if e is not None and id(e[0]) not in self._entries]
            if waiting:
                stack.extend(reversed(waiting))
                continue
            stack.pop()
            if id(node) not in self._entries:
                self._entries[id(node)] = self._made(node)

    def _made(self, node: TapeNode) -> list[SymbolEntry]:
        if node.variable is not None:
            return [self._variable("var")]
        if node.origin is None:
            raise MXNetError("the computation has no symbol: it was freed by a backward, or is no operator's")
        what, params, raws = node.origin
        known = iter(node.inputs)
        places = [next(known, None) for _ in raws] if not isinstance(what, CachedOp) else what.entries_of(node, raws)
        inputs = [
            None if raw is None else self._leaf(raw) if e is None else self.entry(e)
            for raw, e in zip(raws, places, strict=True)
        ]
        return self._cached(what, inputs) if isinstance(what, CachedOp) else self._operator(what, params, inputs)

    def _operator(
        self, op: Operator, params: Mapping[str, Any], inputs: Sequence[SymbolEntry | None]
    ) -> list[SymbolEntry]:
        given = {k: show(v) for k, v in params.items() if v is not None}
        if op.variadic:
            given = {"num_args": str(len(inputs)), **given}
        node = SymbolNode(op, self._name("node_"), given, params, inputs)
        return [(node, k) for k in range(node.visible)]

    def _cached(self, cached: CachedOp, inputs: Sequence[SymbolEntry | None]) -> list[SymbolEntry]:
        symbols = [Symbol([e]) for e in inputs if e is not None]
        if cached.inlined:
            return list(compose(cached.symbol, dict(zip(cached.names, symbols, strict=True)))._entries)
        node = SymbolNode(_cached_operator(cached), self._name("node_"), {}, {}, inputs)
        return [(node, k) for k in range(node.visible)]

    def _leaf(self, raw: Raw) -> SymbolEntry:
        if id(raw) not in self._leaves:
            self._leaves[id(raw)] = self._variable("null")
        return self._leaves[id(raw)]

    def _variable(self, kind: str) -> SymbolEntry:
        return SymbolNode(None, self._name(kind)), 0

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count - 1}"


def _cached_operator(cached: CachedOp) -> Operator:
    """Return the operator that runs a compiled graph as one node."""
    func = Subgraph(cached.symbol, cached.names)

    def infer(*ins: TensorType) -> tuple[TensorType, ...]:
        return tuple(func.infer(ins)[1])

    def complete(*ins: TensorType) -> tuple[TensorType | None, ...]:
        return tuple(func.infer(ins)[0])

    def forward(ins: Sequence[Raw], training: bool, rng: Any) -> list[Raw]:
        return list(func.run(ins, training=training, rng=rng))

    def backward(ins: Sequence[Raw], heads: Sequence[Raw], training: bool, rng: Any) -> list[Raw | None]:
        _, residuals = func.run_recorded(ins, training=training, rng=rng)
        return func.pull(ins, residuals, heads, training=training)

    return make_operator(
        "_CachedOp", outputs=func.outputs, infer=infer, complete=complete, forward=forward, backward=backward
    )
