"""CachedOp: a symbol compiled for each combination of input types and modes, called on arrays, differentiable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hybridlint.runtime import autograd
from hybridlint.runtime.autograd import TapeNode
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.executor.numpy_executor import NumpyExecutor
from hybridlint.runtime.gradient import AuxUpdate, Differentiated, differentiate
from hybridlint.runtime.graph import Graph
from hybridlint.runtime.imperative import Raw, invoke, type_of
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.passes import optimize
from hybridlint.runtime.plan import make_plan
from hybridlint.runtime.symbol.node import SymbolNode, auxiliary_nodes, topological
from hybridlint.runtime.symbol.symbol import Symbol
from hybridlint.runtime.trace import lower


class CachedOp:
    """Call it with one NDArray for each name of ``symbol.list_inputs()``; it returns an NDArray, or a list of them.

    Flags are MXNet's (pairs of a name and a value); `static_alloc` keeps buffers between calls. Raises MXNetError where
    the inputs do not fit the graph.
    """

    def __init__(self, symbol: Symbol, flags: Sequence[tuple[str, Any]] | Mapping[str, Any] = ()) -> None:
        self.symbol = symbol
        self._names = symbol.list_inputs()
        self._class = _array_class(symbol)
        nodes = topological(symbol._entries)
        _require_differentiable(nodes)
        self._dynamic = any(n.op is not None and n.op.facts.dynamic_shape for n in nodes)
        passed_on = {node.name for node, _ in symbol._entries if node.op is None}
        self._passed_on = frozenset(k for k, name in enumerate(self._names) if name in passed_on)
        self._data = frozenset(dict(flags).get("data_indices", ()))
        self._static = str(dict(flags).get("static_alloc", False)).lower() in {"true", "1"}
        self._graphs: dict[Any, Graph] = {}
        self._inference: dict[Any, NumpyExecutor] = {}
        self._training: dict[Any, tuple[Differentiated, NumpyExecutor, NumpyExecutor]] = {}

    def __call__(self, *args: NDArray, out: Any = None, default_ctx: Any = None) -> Any:
        if len(args) != len(self._names):
            raise MXNetError(
                f"the graph takes {len(self._names)} inputs ({', '.join(self._names)}), {len(args)} were given"
            )
        if self._dynamic:
            return self._run_eagerly(args)
        raws = [a._data for a in args]
        key = (tuple((r.shape, r.dtype) for r in raws), autograd.mode.training)
        wanted = self._differentiated_inputs(args)
        if wanted:
            results = self._recorded(args, raws, key, wanted)
        else:
            results = [self._class._wrap(r) for r in self._compiled(key, raws)(raws)]
        for array in results:
            array._ctx = args[0]._ctx if args else None
        return results[0] if len(results) == 1 else results

    def _differentiated_inputs(self, args: Sequence[NDArray]) -> tuple[int, ...]:
        """Return the positions of the inputs that gradients flow to.

        As in MXNet, an input that is itself an output is cut off from the tape: of a parameter the gradient stays what
        it was, and where it is an argument of the block nothing is recorded at all.
        """
        if not autograd.mode.recording or self._passed_on & self._data:
            return ()
        return tuple(k for k, a in enumerate(args) if a._entry is not None and k not in self._passed_on)

    def _run_eagerly(self, args: Sequence[NDArray]) -> Any:
        """Run node by node: shapes that depend on values cannot be compiled for."""
        given = dict(zip(self._names, args, strict=True))
        values: dict[tuple[int, int], NDArray] = {}
        for node in topological(self.symbol._entries):
            if node.op is None:
                values[id(node), 0] = given[node.name]
                continue
            inputs = [None if e is None else values[id(e[0]), e[1]] for e in node.inputs]
            if not node.op.variadic:
                inputs += [None] * (len(node.op.inputs) - len(inputs))
            made = invoke(node.op, inputs, node.params, array_class=self._class)
            made = made if isinstance(made, list) else [made]
            values.update({(id(node), k): array for k, array in enumerate(made)})
        results = [values[id(node), k] for node, k in self.symbol._entries]
        return results[0] if len(results) == 1 else results

    def graph(self, key: Any, raws: Sequence[Raw]) -> Graph:
        """Return the optimized graph for arrays of these types."""
        found = self._graphs.get(key)
        if found is None:
            known = {name: type_of(raw) for name, raw in zip(self._names, raws, strict=True)}
            found = self._graphs[key] = optimize(lower(self.symbol, known))
        return found

    def _compiled(self, key: Any, raws: Sequence[Raw]) -> NumpyExecutor:
        found = self._inference.get(key)
        if found is None:
            plan = make_plan(self.graph(key, raws))
            found = self._inference[key] = NumpyExecutor(plan, training=key[1], static_alloc=self._static)
        return found

    def _differentiated(
        self, key: Any, wanted: tuple[int, ...], raws: Sequence[Raw]
    ) -> tuple[Differentiated, NumpyExecutor, NumpyExecutor]:
        found = self._training.get((key, wanted))
        if found is None:
            pair = differentiate(self.graph(key, raws), wanted, key[1])
            training, static = key[1], self._static
            forward = NumpyExecutor(
                make_plan(pair.forward), training=training, static_alloc=static, results=pair.outputs
            )
            backward = NumpyExecutor(
                make_plan(optimize(pair.backward)), training=training, static_alloc=static, results=0
            )
            found = self._training[key, wanted] = (pair, forward, backward)
        return found

    def _recorded(
        self, args: Sequence[NDArray], raws: Sequence[Raw], key: Any, wanted: tuple[int, ...]
    ) -> list[NDArray]:
        pair, forward, backward = self._differentiated(key, wanted, raws)
        results = forward(raws)
        outputs, residuals = results[: pair.outputs], (*(raws[k] for k in pair.saved), *results[pair.outputs :])
        entries = [args[k]._entry for k in wanted]
        inputs = list(args)

        def pull(_node: TapeNode, gradients: list[NDArray | None], recorded: bool) -> Sequence[NDArray | None]:
            if recorded:
                return self._pull_eagerly(pair, inputs, residuals, gradients, wanted)
            heads = [np.zeros_like(o) if g is None else g._data for g, o in zip(gradients, outputs, strict=True)]
            found = dict(zip(pair.wanted, backward([*residuals, *heads]), strict=True))
            for update in pair.aux_nodes:
                _update_states(update, residuals, inputs)
            return [NDArray._wrap(found[k]) if k in found else None for k in wanted]

        node = TapeNode(pull, entries, len(outputs))
        return [self._class._wrap(raw, (node, k)) for k, raw in enumerate(outputs)]

    def _pull_eagerly(
        self,
        pair: Differentiated,
        inputs: Sequence[NDArray],
        residuals: Sequence[Raw],
        gradients: Sequence[NDArray | None],
        wanted: Sequence[int],
    ) -> list[NDArray | None]:
        """Pull node by node on the tape, so that the gradients can be differentiated again."""
        random_nodes = [n.name for n in pair.forward.nodes if "rng" in n.op.reserved]
        if random_nodes:
            raise NotImplementedError(
                f"second-order gradients of a hybridized block that draws random numbers ({random_nodes[0]})"
            )
        values = interpret(pair.forward, inputs)
        heads = [
            values[v]._filled(0) if g is None else g for g, v in zip(gradients, pair.forward.outputs, strict=False)
        ]
        given = [
            values[v] if v in values else NDArray._wrap(raw)
            for v, raw in zip(pair.backward.inputs, residuals, strict=False)
        ]
        found = interpret(pair.backward, [*given, *heads])
        results = dict(zip(pair.wanted, pair.backward.outputs, strict=True))
        return [found[results[k]] if k in results else None for k in wanted]


def _require_differentiable(nodes: Sequence[SymbolNode]) -> None:
    """Raise MXNetError where no gradient graph can be made, which MXNet does before it runs anything."""
    aux = auxiliary_nodes(nodes)
    reached = {id(n) for n in nodes if n.op is None and id(n) not in aux}
    if not reached:
        raise MXNetError("There are no inputs in computation graph that require gradients.")
    for node in nodes:
        if node.op is None or not any(e is not None and id(e[0]) in reached for e in node.inputs):
            continue
        reached.add(id(node))
        if node.op.grad is None:
            raise MXNetError(f"Operator {node.op.name} is non-differentiable because it has no gradient")


def _array_class(symbol: Symbol) -> type[NDArray]:
    """Return the class of a graph's results: a symbol of numpy mode gives its arrays."""
    if type(symbol) is Symbol:
        return NDArray
    from hybridlint.runtime.numpy.multiarray import ndarray

    return ndarray


def interpret(graph: Graph, inputs: Sequence[NDArray]) -> dict[int, NDArray]:
    """Run a graph node by node on arrays, recorded while recording: for second order, and for debugging a plan.

    Hidden outputs are left out.
    """
    values: dict[int, NDArray] = dict(zip(graph.inputs, inputs, strict=True))
    values.update({v: NDArray._wrap(raw) for v, raw in graph.constants.items()})
    for node in graph.nodes:
        given = [None if v is None else values[v] for v in node.inputs]
        given += [None] * (len(node.op.inputs) - len(given) if not node.op.variadic else 0)
        made = invoke(node.op, given, node.params)
        values.update(zip(node.outputs, made if isinstance(made, list) else [made], strict=False))
    return values


def _update_states(update: AuxUpdate, residuals: Sequence[Raw], inputs: Sequence[NDArray]) -> None:
    op = update.node.op
    assert op.update_aux is not None
    ins = tuple(None if k is None else residuals[k] for k in update.inputs)
    outs = tuple(residuals[k] for k in update.outputs)
    new = op.update_aux(np, ins, outs, **op.only("update_aux", update.node.params))
    for position, value in zip(update.states, new, strict=True):
        inputs[position]._data[...] = value
