"""A graph compiled for training: one forward function, and a backward function per mode of backward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hybridlint.runtime import autograd
from hybridlint.runtime.autograd import TapeNode
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.engines.protocol import Engine, Executor
from hybridlint.runtime.compiled.gradient import AuxUpdate, differentiate
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.core import second_order
from hybridlint.runtime.core.collection import collector_at_rest
from hybridlint.runtime.core.imperative import Raw, invoke
from hybridlint.runtime.core.writes import original
from hybridlint.runtime.facts.registry import Refusal
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.platforms import Platform, move_array
from hybridlint.runtime.platforms.numpy_platform import NUMPY


class CompiledTraining:
    """Runs a graph and adds a tape node that pulls gradients to the inputs at positions `wanted`.

    Forward runs in the mode `training`. Operators in backward run in the mode of ``backward(train_mode=...)``.
    Auxiliary states change if both modes are train mode, as in MXNet.
    """

    def __init__(
        self,
        graph: Graph,
        wanted: tuple[int, ...],
        *,
        engine: Engine,
        training: bool,
        static_alloc: bool,
        inlined: bool,
    ) -> None:
        self._pair = differentiate(graph, wanted, training, inlined=inlined, cheap=engine.is_cheap)
        self._wanted = wanted
        self._inlined = inlined
        self._static = static_alloc
        self._engine = engine
        self._forward = engine.compile(
            self._pair.forward, training=training, static_alloc=static_alloc, results=self._pair.outputs
        )
        self._backward: dict[bool, Executor] = {}

    def __call__(self, args: Sequence[NDArray], raws: Sequence[Raw], array_class: type[NDArray]) -> list[NDArray]:
        """Run on arrays in the order of the graph's inputs and return the recorded outputs."""
        pair = self._pair
        results = self._forward(raws)
        outputs, residuals = results[: pair.outputs], (*(raws[k] for k in pair.saved), *results[pair.outputs :])
        originals = [original(raws[k]) for k in pair.original]
        inputs = list(args)
        platform = self._forward.platform

        def pull(
            _node: TapeNode, gradients: list[NDArray | None], recorded: bool
        ) -> Sequence[NDArray | Refusal | None]:
            before = [*residuals, *(held.raw for held in originals)]
            if recorded:
                return self._pull_recorded(inputs, before, gradients)
            with platform.computing():
                zeros_like = platform.xp.zeros_like
                heads = [zeros_like(o) if g is None else g._data for g, o in zip(gradients, outputs, strict=True)]
            found = dict(zip(pair.wanted, self._executor()([*before, *heads]), strict=True))
            for update in pair.aux_nodes if autograd.mode.training else ():
                _update_states(platform, update, residuals, inputs)
            return self._placed({k: NDArray._wrap(gradient) for k, gradient in found.items()})

        entries = [args[k]._entry for k in self._wanted]
        node = TapeNode(pull, entries, len(outputs), updates=bool(pair.aux_nodes))
        return [array_class._wrap(raw, (node, k)) for k, raw in enumerate(outputs)]

    def heads_read(self) -> tuple[bool, ...]:
        """Return whether backward reads the gradient of each output; that of a loss is read by none."""
        backward = self._pair.backward
        read = {value for node in backward.nodes for value in node.inputs} | set(backward.outputs)
        return tuple(value in read for value in backward.inputs[len(backward.inputs) - self._pair.outputs :])

    def executors(self) -> tuple[Executor, ...]:
        """Return the executor of forward, and those of backward that were compiled so far."""
        return (self._forward, *self._backward.values())

    def _executor(self) -> Executor:
        training = autograd.mode.training
        if training not in self._backward:
            with collector_at_rest():
                self._backward[training] = self._engine.compile(
                    optimize(self._pair.backward), training=training, static_alloc=self._static, results=0
                )
        return self._backward[training]

    def _pull_recorded(
        self, inputs: Sequence[NDArray], residuals: Sequence[Raw], gradients: Sequence[NDArray | None]
    ) -> list[NDArray | Refusal | None]:
        """Pull gradients that can be differentiated again, as far as MXNet allows. Raises MXNetError."""
        if not self._inlined:
            raise MXNetError(second_order.COMPILED)
        forward = self._pair.forward
        drawing = next((n.name for n in forward.nodes if "rng" in n.op.reserved), None)
        if drawing is not None:
            raise NotImplementedError(f"second-order gradients of a hybridized block with random numbers: {drawing}")
        once = next((n.op for n in forward.nodes if not second_order.twice(n.op)), None)
        if once is None:
            return self._pull_eagerly(inputs, residuals, gradients)
        entries = [inputs[k]._entry for k in self._wanted]
        with autograd.pause(autograd.mode.training):
            found = self._pull_eagerly(inputs, residuals, gradients)
        return second_order.seal_gradients(found, gradients, entries, second_order.refusal(once))

    def _pull_eagerly(
        self, inputs: Sequence[NDArray], residuals: Sequence[Raw], gradients: Sequence[NDArray | None]
    ) -> list[NDArray | Refusal | None]:
        """Pull node by node on the tape."""
        pair = self._pair
        values = interpret(pair.forward, inputs)
        heads = [
            values[v]._filled(0) if g is None else g for g, v in zip(gradients, pair.forward.outputs, strict=False)
        ]
        given = [
            values[v] if v in values else NDArray._wrap(raw)
            for v, raw in zip(pair.backward.inputs, residuals, strict=False)
        ]
        count = len(given) - len(pair.original)
        given[count:] = [inputs[k] for k in pair.original]
        found = interpret(pair.backward, [*given, *heads])
        return self._placed({k: found[v] for k, v in zip(pair.wanted, pair.backward.outputs, strict=True)})

    def _placed(self, gradients: Mapping[int, NDArray]) -> list[NDArray | Refusal | None]:
        """Return the gradient, refusal or None for each wanted input, given the computed gradients by position."""
        refused = self._pair.refused
        return [refused[k] if k in refused else gradients.get(k) for k in self._wanted]


def interpret(graph: Graph, inputs: Sequence[NDArray]) -> dict[int, NDArray]:
    """Run a graph node by node on arrays, for second-order gradients and for debugging a plan.

    It is recorded if recording is on. Hidden outputs are left out.
    """
    values: dict[int, NDArray] = dict(zip(graph.inputs, inputs, strict=True))
    place = inputs[0]._platform if inputs else NUMPY
    values.update({v: NDArray._wrap(move_array(raw, place)) for v, raw in graph.constants.items()})
    for node in graph.nodes:
        given = [None if v is None else values[v] for v in node.inputs]
        given += [None] * (len(node.op.inputs) - len(given) if not node.op.variadic else 0)
        made = invoke(node.op, given, node.params)
        values.update(zip(node.outputs, made if isinstance(made, list) else [made], strict=False))
    return values


def _update_states(platform: Platform, update: AuxUpdate, residuals: Sequence[Raw], inputs: Sequence[NDArray]) -> None:
    op = update.node.op
    assert op.update_aux is not None
    ins = tuple(None if k is None else residuals[k] for k in update.inputs)
    outs = tuple(residuals[k] for k in update.outputs)
    with platform.computing():
        new = op.update_aux(platform.xp, ins, outs, **op.only("update_aux", update.node.params))
    for position, value in zip(update.states, new, strict=True):
        inputs[position]._write(value)
