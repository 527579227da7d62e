"""A graph's nodes as values: an operator's own kernel runs on traced arrays and so tells what it computes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridlint.runtime.compiled.graph import Graph, GraphNode
from hybridlint.runtime.compiled.lowering.abilities import Abilities
from hybridlint.runtime.compiled.lowering.elements import round_half
from hybridlint.runtime.compiled.lowering.gathered import RowPositions
from hybridlint.runtime.compiled.lowering.module import TracedModule
from hybridlint.runtime.compiled.lowering.traced import Traced, as_value
from hybridlint.runtime.compiled.lowering.values import HALF, ArrayValue, CannotLower, Given, Number
from hybridlint.runtime.compiled.lowering.views import repeat_value
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.platforms.numpy_platform import NUMPY

_MODULE = TracedModule()


def sizes_of(held: TensorType) -> tuple[int, ...]:
    """Return the sizes of a type that is completely known."""
    return tuple(size for size in held.shape or () if isinstance(size, int))


class Lowering:
    """Lowers nodes of a graph for an engine, in a mode. What they compute is asked about once."""

    def __init__(self, graph: Graph, abilities: Abilities, *, training: bool) -> None:
        self._graph = graph
        self._abilities = abilities
        self._training = training
        self._checked: set[ArrayValue] = set()

    def lower(self, node: GraphNode, known: Mapping[int, ArrayValue]) -> tuple[ArrayValue, ...]:
        """Return the values of a node's outputs. `known` has those of the inputs that the engine computes.

        Raises CannotLower.
        """
        op, training = node.op, self._training
        if "rng" in op.reserved and op.asks_mode({**op.defaults(), **node.params}) and training:
            raise CannotLower("random numbers")
        if op.facts.unpredictable or (op.random and not op.modal):
            raise CannotLower("random numbers or code of the user")
        for number in node.outputs:
            self._require_type(self._graph.types[number], "a result")
        arrays = [None if v is None else self._traced(v, known) for v in node.inputs]
        extra: dict[str, Any] = {"training": training} if op.modal else {}
        try:
            result = (op.native or op.kernel)(_MODULE, *arrays, **node.params, **extra)
        except CannotLower:
            raise
        except (
            *(TypeError, ValueError, AttributeError, IndexError),
            *(KeyError, NotImplementedError, AssertionError),
        ) as error:
            raise CannotLower(f"{type(error).__name__}: {error}") from error
        results = result if isinstance(result, tuple) else (result,)
        made = tuple(_checked(self._graph.types[v], m) for v, m in zip(node.outputs, results, strict=True))
        self._abilities.require(made, self._checked)
        return made

    def _require_type(self, held: TensorType, what: str) -> None:
        if held.dtype not in self._abilities.dtypes:
            raise CannotLower(f"{what} of {held.dtype}")
        if 0 in sizes_of(held):
            raise CannotLower("an array without elements")

    def _traced(self, number: int, known: Mapping[int, ArrayValue]) -> Traced | RowPositions:
        if number in known:
            return Traced(known[number], writable=False)
        held = self._graph.types[number]
        raw = self._graph.constants.get(number)
        if raw is not None and raw.size == 1 and raw.dtype.name in self._abilities.dtypes:
            return Traced(repeat_value(Number((), number=float(raw.reshape(-1)[0])), raw.shape), writable=False)
        if self._abilities.gathers and held.dtype in {"int32", "int64"} and 0 not in sizes_of(held):
            return RowPositions(Given(sizes_of(held), number=number, dtype=held.dtype))
        self._require_type(held, "an array")
        return Traced(Given(sizes_of(held), number=number, dtype=held.dtype or "float32"), writable=False)


def _checked(held: TensorType, made: Any) -> ArrayValue:
    if isinstance(made, NUMPY.xp.ndarray) and made.dtype.name == held.dtype:
        made = Traced(as_value(made))
    if not isinstance(made, Traced) or made.value.predicate or made.shape != sizes_of(held):
        raise CannotLower("a result of another type than the graph's")
    return round_half(made.value) if held.dtype == HALF else made.value
