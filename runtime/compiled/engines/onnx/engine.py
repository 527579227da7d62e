"""The engine `onnx`: ONNX Runtime runs what the export to ONNX can write, a second opinion on every other engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridlint.runtime.compiled.engines.onnx.session import PACKAGES, is_installed
from hybridlint.runtime.compiled.engines.protocol import Engine, Executor
from hybridlint.runtime.compiled.graph import Graph, GraphNode
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.platforms import Platform, Raw


class OnnxEngine:
    """Writes what it can as models of ONNX, and leaves the rest to the plain engine. See `Engine`."""

    name = "onnx"

    stand_in = None

    def __init__(self, platform: Platform, plain: Engine) -> None:
        self._platform = platform
        self._plain = plain

    def missing(self) -> str | None:
        """Return the package to install if the extra's packages are missing."""
        return (
            None
            if is_installed()
            else f"the engine 'onnx' needs {' and '.join(PACKAGES)}: pip install 'hybridlint[onnx]'"
        )

    def compile(
        self, graph: Graph, *, training: bool, static_alloc: bool = False, results: int | None = None
    ) -> Executor:
        """Compile a graph. The plain engine gets a graph without parts for a model."""
        # Imported here: they import onnx's translations, which nothing else needs.
        from hybridlint.runtime.compiled.engines.onnx.executor import ModelExecutor
        from hybridlint.runtime.compiled.engines.onnx.partition import partition

        parts = partition(graph, training=training)
        if not any(part.native for part in parts):
            return self._plain.compile(graph, training=training, static_alloc=static_alloc, results=results)
        return ModelExecutor(
            graph, parts, plain=self._plain, platform=self._platform, training=training, static_alloc=static_alloc
        )

    def is_cheap(self, graph: Graph, node: GraphNode) -> bool:
        """Return False: results are stored for the backward pass, not computed again."""
        return False

    def update(self, op: Operator, raws: Sequence[Raw], params: Mapping[str, Any]) -> Sequence[int]:
        """Return nothing: operators that run alone are run by their kernels."""
        return ()
