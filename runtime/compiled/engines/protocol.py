"""The interface between a graph and its executor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hybridlint.runtime.compiled.graph import Graph, GraphNode
from hybridlint.runtime.compiled.plan import MemoryPlan
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.platforms import Platform, Raw


@dataclass(frozen=True, slots=True)
class ExecutionStep:
    """Nodes that run as one, in the order of execution, and the engine that runs them.

    `reason` says why another engine had to: what the chosen one cannot do.
    """

    engine: str
    nodes: tuple[GraphNode, ...]
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Timed:
    """The least time that a part of a step took: one operator, or one loop of native code. Steps count from 0."""

    step: int
    what: str
    seconds: float


@dataclass(frozen=True, slots=True)
class ExecutionWay:
    """A way to run a graph on a GPU, by its name. `refused` says why it was not taken; None for the one that was."""

    name: str
    refused: str | None = None


class Executor(Protocol):
    """A compiled graph.

    Calls are safe from several threads; outputs never share memory with inputs or earlier outputs.
    """

    @property
    def plan(self) -> MemoryPlan:
        """The memory plan that the executor follows."""

    @property
    def steps(self) -> Sequence[ExecutionStep]:
        """The steps that run, in order. Every node is in one step, except nodes folded into other nodes."""

    @property
    def ways(self) -> Sequence[ExecutionWay]:
        """The ways to run it, fastest first, up to the way in use; empty if there is only one way."""

    @property
    def compiling(self) -> str | None:
        """How its native code was made, in a few words; None if it has none."""

    @property
    def source(self) -> str:
        """The compiled code as text, for debugging."""

    @property
    def platform(self) -> Platform:
        """The platform whose arrays it takes and returns."""

    def __call__(self, inputs: Sequence[Raw], rng: Any = None) -> tuple[Raw, ...]:
        """Run on arrays in the order of the graph's inputs. Random numbers come from `rng`, else from the platform.

        Raises MXNetError if a kernel fails.
        """

    def again(self, inputs: Sequence[Raw], changing: Sequence[int]) -> Callable[[Sequence[Raw]], Sequence[Raw]]:
        """Return a function that runs on these inputs again, with other arrays at the positions `changing`.

        They have the shapes and element types of those that they replace.
        """

    def timed(self, inputs: Sequence[Raw], runs: int) -> Sequence[Timed]:
        """Run several times and return how long each part took, in the order of execution."""


class Engine(Protocol):
    """Creates executors for graphs."""

    @property
    def name(self) -> str:
        """The engine's name as users know it."""

    @property
    def stand_in(self) -> Engine | None:
        """The engine that runs further sizes of a graph until they are called often; None if compiling is quick."""

    def missing(self) -> str | None:
        """Return the missing requirement of the engine here, as a sentence that says how to meet it; else None."""

    def compile(
        self, graph: Graph, *, training: bool, static_alloc: bool = False, results: int | None = None
    ) -> Executor:
        """Compile an optimized graph for one mode.

        With `static_alloc` the buffers live as long as the executor, otherwise as long as a call. Only the first
        `results` outputs (all if None) go to the user; the others stay inside the runtime and may share memory with the
        inputs.
        """

    def is_cheap(self, graph: Graph, node: GraphNode) -> bool:
        """Return whether computing a node again takes less time than writing and reading its result."""

    def update(self, op: Operator, raws: Sequence[Raw], params: Mapping[str, Any]) -> Sequence[int]:
        """Run an optimizer's update operator in place: on a weight, which comes first, its gradient and its states.

        Return the positions of the arrays that changed; none if this engine has no code for it, and nothing was done.
        """
