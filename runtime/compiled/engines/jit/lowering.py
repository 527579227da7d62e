"""A graph's nodes as values: an operator's own kernel runs on traced arrays and so tells what it computes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridlint.runtime.compiled.engines.jit.module import TracedModule
from hybridlint.runtime.compiled.engines.jit.traced import Traced
from hybridlint.runtime.compiled.engines.jit.values import CannotLower, Given, Number, Value, repeated
from hybridlint.runtime.compiled.graph import Graph, GraphNode
from hybridlint.runtime.facts.types import TensorType

_MODULE = TracedModule()


def given(number: int, held: TensorType) -> Given:
    """Return the value of an array that is there. Raises CannotLower for other element types than float32."""
    if held.dtype != "float32":
        raise CannotLower(f"an array of {held.dtype}")
    if 0 in sizes_of(held):
        raise CannotLower("an array without elements")
    return Given(sizes_of(held), number=number)


def sizes_of(held: TensorType) -> tuple[int, ...]:
    """Return the sizes of a type that is completely known."""
    return tuple(size for size in held.shape or () if isinstance(size, int))


def lower_node(graph: Graph, node: GraphNode, known: Mapping[int, Value], training: bool) -> tuple[Value, ...]:
    """Return the values of a node's outputs. `known` has those of the inputs that native code computes.

    Raises CannotLower.
    """
    if "rng" in node.op.reserved and node.op.asks_mode({**node.op.defaults(), **node.params}) and training:
        raise CannotLower("random numbers")
    if node.op.facts.unpredictable or (node.op.random and not node.op.modal):
        raise CannotLower("random numbers or code of the user")
    for number in node.outputs:
        _require_float(graph.types[number])
    arrays = [None if v is None else _traced(graph, v, known) for v in node.inputs]
    extra: dict[str, Any] = {"training": training} if node.op.modal else {}
    try:
        result = (node.op.native or node.op.kernel)(_MODULE, *arrays, **node.params, **extra)
    except CannotLower:
        raise
    except (TypeError, ValueError, AttributeError, IndexError, KeyError, NotImplementedError, AssertionError) as error:
        raise CannotLower(f"{type(error).__name__}: {error}") from error
    results = result if isinstance(result, tuple) else (result,)
    return tuple(_checked(graph.types[v], made) for v, made in zip(node.outputs, results, strict=True))


def _require_float(held: TensorType) -> None:
    if held.dtype != "float32":
        raise CannotLower(f"a result of {held.dtype}")
    if 0 in sizes_of(held):
        raise CannotLower("an array without elements")


def _traced(graph: Graph, number: int, known: Mapping[int, Value]) -> Traced:
    if number in known:
        return Traced(known[number], writable=False)
    raw = graph.constants.get(number)
    if raw is not None and raw.size == 1 and raw.dtype.name == "float32":
        return Traced(repeated(Number((), number=float(raw.reshape(-1)[0])), raw.shape), writable=False)
    return Traced(given(number, graph.types[number]), writable=False)


def _checked(held: TensorType, made: Any) -> Value:
    if not isinstance(made, Traced) or made.value.predicate or made.shape != sizes_of(held):
        raise CannotLower("a result of another type than the graph's")
    return made.value
