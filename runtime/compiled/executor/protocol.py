"""The seam between a graph and what runs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.plan import Plan
from hybridlint.runtime.platforms import Platform, Raw


class Executor(Protocol):
    """A compiled graph.

    Calls are safe from several threads; outputs never share memory with inputs or earlier outputs.
    """

    @property
    def plan(self) -> Plan:
        """The memory plan that the executor follows."""

    @property
    def source(self) -> str:
        """What was compiled, as text for a person who debugs it."""

    @property
    def platform(self) -> Platform:
        """Where the arrays live that it takes and returns."""

    def __call__(self, inputs: Sequence[Raw], rng: Any = None) -> tuple[Raw, ...]:
        """Run on arrays in the order of the graph's inputs, drawing from `rng` or from the platform's generator.

        Raises MXNetError where a kernel fails.
        """


class Engine(Protocol):
    """Makes executors of graphs."""

    @property
    def name(self) -> str:
        """What users call the engine."""

    def compile(
        self, graph: Graph, *, training: bool, static_alloc: bool = False, results: int | None = None
    ) -> Executor:
        """Compile an optimized graph for one mode.

        With `static_alloc` the buffers live as long as the executor, otherwise as long as a call. Only the first
        `results` outputs (all where None) go to the user; the others stay inside the runtime and may share memory with
        the inputs.
        """
