"""Gradients of a compiled graph: the operators' gradient rules are traced into a backward graph."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.graph import Graph, GraphNode
from hybridlint.runtime.compiled.overwriting import overwritten
from hybridlint.runtime.compiled.rematerialization import computed_again
from hybridlint.runtime.core.imperative import non_differentiable
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.core.tensor import TensorInterface
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.registry import Operator, Refusal
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.platforms import element_type


@dataclass(frozen=True, slots=True)
class Differentiated:
    """A graph split for training.

    `forward` returns the outputs, followed by values that `backward` needs. The inputs of `backward` are the residuals
    (the graph inputs at positions `saved`, those values, and the inputs at positions `original`, as they were when
    forward ran) and one gradient per output. It returns one gradient for each position in `wanted` that has one.
    `refused` maps positions to the refusal of an operator on the way that has no gradient. `aux_nodes` update auxiliary
    states; they hold the positions of their inputs and outputs in the residuals.
    """

    forward: Graph
    backward: Graph
    outputs: int
    saved: tuple[int, ...]
    wanted: tuple[int, ...]
    refused: Mapping[int, Refusal]
    aux_nodes: tuple[AuxUpdate, ...]
    original: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class AuxUpdate:
    """A node with auxiliary states: the residual positions its update reads, and the input positions of its states."""

    node: GraphNode
    inputs: tuple[int | None, ...]
    outputs: tuple[int, ...]
    states: tuple[int, ...]


class Tracer(TensorInterface):
    """A value during the tracing of a gradient rule. Arithmetic on it appends nodes to the graph."""

    __slots__ = ("builder", "value")

    def __init__(self, builder: Builder, value: int) -> None:
        self.builder = builder
        self.value = value

    @property
    def type(self) -> TensorType:
        """The value's type."""
        return self.builder.types[self.value]

    @property
    def shape(self) -> Any:
        """The value's shape, which is known."""
        return self.type.shape

    @property
    def dtype(self) -> Any:
        """The element type, in the form that arrays report it."""
        return element_type(self.type)

    def __neg__(self) -> Any:
        return self * -1


class Builder:
    """Appends operator calls to a graph. It is also the operator namespace `F` of gradient rules."""

    def __init__(self, graph: Graph) -> None:
        self.nodes = list(graph.nodes)
        self.types = dict(graph.types)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        op = registry.find(name)
        if op is None:
            raise AttributeError(f"no operator is called {name}")
        return lambda *inputs, **params: self.call(op, inputs, params)

    def call(self, op: Operator, inputs: Sequence[Tracer | None], params: Mapping[str, Any]) -> Any:
        """Append a call and return its visible outputs."""
        full = normalize(op, params)
        sources = list(inputs)
        while sources and sources[-1] is None:
            sources.pop()
        types = tuple(TensorType() if x is None else x.type for x in sources)
        results = op.infer_types(types, full)
        values = tuple(self._value(t) for t in results)
        self.nodes.append(
            GraphNode(op, full, tuple(None if x is None else x.value for x in sources), values, f"backward_{op.name}")
        )
        visible = [Tracer(self, v) for v in values[: op.visible(full)]]
        return visible[0] if len(visible) == 1 else visible

    def _value(self, t: TensorType) -> int:
        number = len(self.types)
        self.types[number] = t
        return number

    def input(self, t: TensorType) -> Tracer:
        """Return a new input of the graph."""
        return Tracer(self, self._value(t))


def differentiate(
    graph: Graph,
    wanted: Sequence[int],
    training: bool,
    *,
    inlined: bool = False,
    cheap: Callable[[Graph, GraphNode], bool] = lambda graph, node: False,
) -> Differentiated:
    """Return the forward and backward graphs for the gradients of the inputs at positions `wanted`.

    A graph that is `inlined` has the gradients of eager runs; others have those of MXNet's plan of memory.
    An output without a given gradient gets zeros. An input that no output depends on has no gradient. What is `cheap`
    is computed again in backward rather than kept.
    """
    graph = graph if inlined else _keeping(graph, wanted)
    builder = Builder(graph)
    heads = [builder.input(graph.types[v]) for v in graph.outputs]
    sums: dict[int, Tracer] = {}
    for value, head in zip(graph.outputs, heads, strict=True):
        _accumulate(sums, value, head)
    refused: dict[int, Refusal] = {}
    needed = _depending_on(graph, {graph.inputs[k] for k in wanted})
    reused = frozenset() if inlined else overwritten(graph, wanted, needed)
    start = len(graph.nodes)
    for node in reversed(graph.nodes):
        _pull(builder, node, sums, refused, needed, reused)
    nodes = tuple(builder.nodes[start:])
    found = tuple(k for k in wanted if graph.inputs[k] in sums)
    results = tuple(sums[graph.inputs[k]].value for k in found)
    # If a layer is used several times, the backward pass reaches its last use first. Where nothing is differentiated it
    # does not go, and states stay as they are.
    reached = (n for n in reversed(graph.nodes) if not needed.isdisjoint(n.outputs))
    aux = [n for n in reached if training and n.op.update_aux is not None]
    own = {h.value for h in heads} | {v for n in nodes for v in n.outputs}
    used = {v for n in nodes for v in n.inputs if v is not None} | {*results}
    read = {v for n in aux for v in (*n.inputs, *n.outputs) if v is not None}
    taken = _taken(builder, graph, used - own, read, cheap)
    backward = Graph(
        (*taken.residuals, *taken.originals.values(), *(h.value for h in heads)),
        (*taken.again, *nodes),
        results,
        builder.types,
        taken.constants,
    )
    position = {v: k for k, v in enumerate(graph.inputs)}
    place = {v: k for k, v in enumerate(taken.residuals)}
    return Differentiated(
        replace(graph, outputs=(*graph.outputs, *taken.computed)),
        backward,
        len(graph.outputs),
        tuple(position[v] for v in taken.saved),
        found,
        {k: refused[graph.inputs[k]] for k in wanted if graph.inputs[k] in refused},
        tuple(_update(n, place, position) for n in aux),
        tuple(position[v] for v in taken.originals),
    )


@dataclass(frozen=True)
class _Taken:
    """The values that backward takes from forward: inputs `saved`, values `computed`, and nodes run `again`.

    Nodes that run again read the inputs `originals`, each of which is another value in the backward graph, and
    `constants`.
    """

    saved: tuple[int, ...]
    computed: tuple[int, ...]
    again: tuple[GraphNode, ...]
    originals: Mapping[int, int]
    constants: Mapping[int, Any]

    @property
    def residuals(self) -> tuple[int, ...]:
        """The values that forward hands to backward, in their order."""
        return (*self.saved, *self.computed)


def _taken(
    builder: Builder, graph: Graph, used: set[int], read: set[int], cheap: Callable[[Graph, GraphNode], bool]
) -> _Taken:
    """Return the values that backward takes from forward, given the values it uses; `read` ones stay unchanged."""
    used = used | read
    again = computed_again(graph, used, read, cheap)
    used -= {v for n in again for v in n.outputs}
    inside = {v for n in again for v in n.inputs if v is not None}
    originals = {v: builder.input(graph.types[v]).value for v in graph.inputs if v in inside}
    inputs = set(graph.inputs)
    return _Taken(
        saved=tuple(v for v in sorted(used) if v in inputs),
        computed=tuple(v for v in sorted(used) if v not in inputs),
        again=tuple(replace(n, inputs=tuple(v if v is None else originals.get(v, v) for v in n.inputs)) for n in again),
        originals=originals,
        constants={v: raw for v, raw in graph.constants.items() if v in inside and v not in used},
    )


def _update(node: GraphNode, place: Mapping[int, int], position: Mapping[int, int]) -> AuxUpdate:
    """Return how a node's states are updated, given where values are among the residuals and the graph's inputs."""
    states = (v for name, v in zip(node.op.inputs, node.inputs, strict=False) if name in node.op.aux)
    return AuxUpdate(
        node,
        tuple(None if v is None else place[v] for v in node.inputs),
        tuple(place[v] for v in node.outputs),
        tuple(position[v] for v in states if v is not None and v in position),
    )


def _pull(
    builder: Builder,
    node: GraphNode,
    sums: dict[int, Tracer],
    refused: dict[int, Refusal],
    needed: set[int],
    reused: Collection[int],
) -> None:
    visible = node.op.visible(node.params)
    refusal = next((refused[v] for v in node.outputs[:visible] if v in refused), None)
    if refusal is None and not any(v in sums for v in node.outputs[:visible]):
        return
    if not any(v in needed for v in node.inputs):
        return
    if node.op.grad is None:
        raise MXNetError(non_differentiable(node.op))
    outs = tuple(Tracer(builder, v) for v in node.outputs)
    ins = tuple(None if v is None else Tracer(builder, v) for v in node.inputs)
    heads = [sums[o.value] if o.value in sums else builder.zeros_like(o) for o in outs[:visible]]
    if all(o.type.dtype == "bool" for o in outs[:visible]):
        gradients = _of_booleans(builder, node, heads, ins, outs)
    else:
        gradients = node.op.gradients(builder, heads[0] if visible == 1 else tuple(heads), ins, outs, node.params)
    if node.outputs[0] in reused:
        gradients = (gradients[0], *node.op.gradients(builder, gradients[0], ins, outs, node.params)[1:])
    for value, gradient in zip(node.inputs, gradients, strict=False):
        if value is None or gradient is None or value not in needed:
            continue
        if isinstance(gradient, Refusal):
            refused[value] = gradient.of(node.name)
            continue
        if refusal is not None:
            refused[value] = refusal
        _accumulate(sums, value, gradient)


def _of_booleans(
    builder: Builder,
    node: GraphNode,
    heads: list[Tracer],
    ins: tuple[Tracer | None, ...],
    outs: tuple[Tracer, ...],
) -> Sequence[Any]:
    """Return the gradients of an operator with boolean results.

    Tests of numbers have zero gradient, arithmetic of booleans has none; what only moves them hands the gradient on.
    """
    if not all(x is None or x.type.dtype == "bool" for x in ins):
        return [None if x is None or x.type.dtype == "bool" else builder.zeros_like(x) for x in ins]
    try:
        return node.op.gradients(builder, heads[0] if len(heads) == 1 else tuple(heads), ins, outs, node.params)
    except InferError:
        return [None] * len(ins)


def _accumulate(sums: dict[int, Tracer], value: int, gradient: Tracer) -> None:
    before = sums.get(value)
    sums[value] = gradient if before is None else before.builder.elemwise_add(before, gradient)


def _keeping(graph: Graph, wanted: Sequence[int]) -> Graph:
    """Return a graph whose operators also output the values that their gradients need, by twin operators."""
    needed, types, nodes = _depending_on(graph, {graph.inputs[k] for k in wanted}), dict(graph.types), []
    for node in graph.nodes:
        twin = None if node.op.facts.recorded_as is None else registry.find(node.op.facts.recorded_as)
        if twin is not None and needed.intersection(node.outputs):
            given = tuple(TensorType() if v is None else types[v] for v in node.inputs)
            more = twin.infer_types(given, node.params)[len(node.outputs) :]
            hidden = tuple(range(max(types) + 1, max(types) + 1 + len(more)))
            types.update(zip(hidden, more, strict=True))
            nodes.append(replace(node, op=twin, outputs=(*node.outputs, *hidden)))
        else:
            nodes.append(node)
    return replace(graph, nodes=tuple(nodes), types=types)


def _depending_on(graph: Graph, values: set[int]) -> set[int]:
    reached = set(values)
    for node in graph.nodes:
        if reached.intersection(v for v in node.inputs if v is not None):
            reached.update(node.outputs)
    return reached


def _binary(both: str, same: str | None, scalar: str, swapped: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def method(self: Tracer, other: Any) -> Tracer:
        if isinstance(other, Tracer):
            name = same if same is not None and self.shape == other.shape else both
            return getattr(self.builder, name)(self, other)  # type: ignore[no-any-return]
        return getattr(self.builder, scalar)(self, scalar=other)  # type: ignore[no-any-return]

    def reflected(self: Tracer, other: Any) -> Tracer:
        return getattr(self.builder, swapped)(self, scalar=other)  # type: ignore[no-any-return]

    return method, reflected


for _name, _both, _same, _scalar, _swapped in (
    ("add", "broadcast_add", "elemwise_add", "_plus_scalar", "_plus_scalar"),
    ("sub", "broadcast_sub", "elemwise_sub", "_minus_scalar", "_rminus_scalar"),
    ("mul", "broadcast_mul", "elemwise_mul", "_mul_scalar", "_mul_scalar"),
    ("truediv", "broadcast_div", "elemwise_div", "_div_scalar", "_rdiv_scalar"),
    ("pow", "broadcast_power", None, "_power_scalar", "_rpower_scalar"),
    ("eq", "broadcast_equal", None, "_equal_scalar", "_equal_scalar"),
    ("ne", "broadcast_not_equal", None, "_not_equal_scalar", "_not_equal_scalar"),
    ("gt", "broadcast_greater", None, "_greater_scalar", "_lesser_scalar"),
    ("ge", "broadcast_greater_equal", None, "_greater_equal_scalar", "_lesser_equal_scalar"),
    ("lt", "broadcast_lesser", None, "_lesser_scalar", "_greater_scalar"),
    ("le", "broadcast_lesser_equal", None, "_lesser_equal_scalar", "_greater_equal_scalar"),
):
    _forward, _reflected = _binary(_both, _same, _scalar, _swapped)
    setattr(Tracer, f"__{_name}__", _forward)
    if _name in {"add", "sub", "mul", "truediv", "pow"}:
        setattr(Tracer, f"__r{_name}__", _reflected)
