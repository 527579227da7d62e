"""The engine `jit`: graphs become native code by llvmlite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.runtime.compiled.engines.protocol import Engine, Executor
from hybridlint.runtime.compiled.graph import Graph, GraphNode
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.platforms import Platform, Raw

# What makes native code is a third of the runtime: it is imported with the first graph that is compiled.
if TYPE_CHECKING:
    from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
    from hybridlint.runtime.compiled.engines.jit.updating import NativeUpdates


class JitEngine:
    """Compiles what it can, for one kind of processor, and leaves the rest to the plain engine. See `Engine`."""

    name = "jit"

    def __init__(self, platform: Platform, plain: Engine, target: TargetProcessor | None = None) -> None:
        self._platform = platform
        self._plain = plain
        self._target = target
        self._updates: NativeUpdates | None = None

    @property
    def stand_in(self) -> Engine:
        """The plain engine: compiling for a size takes longer than hundreds of its calls."""
        return self._plain

    def missing(self) -> str | None:
        """Return the package to install if llvmlite is missing."""
        from hybridlint.runtime.compiled.engines.jit.llvm import OLDEST, is_installed

        if is_installed():
            return None
        return f"the engine 'jit' needs llvmlite {'.'.join(map(str, OLDEST))} or later: pip install 'hybridlint[jit]'"

    def compile(
        self, graph: Graph, *, training: bool, static_alloc: bool = False, results: int | None = None
    ) -> Executor:
        """Compile a graph. The plain engine gets a graph without native parts."""
        from hybridlint.runtime.compiled.engines.jit.executor import NativeExecutor
        from hybridlint.runtime.compiled.engines.jit.functions import ABILITIES
        from hybridlint.runtime.compiled.lowering.partition import partition

        parts = partition(graph, ABILITIES, training=training)
        if not any(part.native for part in parts):
            return self._plain.compile(graph, training=training, static_alloc=static_alloc, results=results)
        return NativeExecutor(
            graph,
            parts,
            plain=self._plain,
            platform=self._platform,
            target=self._chosen(),
            training=training,
            static_alloc=static_alloc,
            results=results,
        )

    def is_cheap(self, graph: Graph, node: GraphNode) -> bool:
        """Return whether a node is functions of elements alone, which the loops that read them compute."""
        from hybridlint.runtime.compiled.engines.jit.functions import ABILITIES
        from hybridlint.runtime.compiled.lowering.elements import is_of_elements
        from hybridlint.runtime.compiled.lowering.lowering import Lowering
        from hybridlint.runtime.compiled.lowering.values import CannotLower

        try:
            made = Lowering(graph, ABILITIES, training=True).lower(node, {})
        except CannotLower:
            return False
        return all(map(is_of_elements, made))

    def update(self, op: Operator, raws: Sequence[Raw], params: Mapping[str, Any]) -> Sequence[int]:
        """Update a weight by native code."""
        if self._updates is None:
            from hybridlint.runtime.compiled.engines.jit.updating import NativeUpdates

            self._updates = NativeUpdates(self._chosen())
        return self._updates.update(op, raws, params)

    def _chosen(self) -> TargetProcessor:
        from hybridlint.runtime.compiled.engines.jit.llvm import features
        from hybridlint.runtime.compiled.engines.jit.target import best

        return self._target or best(features())
