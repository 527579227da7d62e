"""The engine `cuda`: graphs on a GPU become generated kernels, if the GPU has a compiling toolkit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from hybridlint.runtime.compiled.engines.cuda.compiled import CompiledProgram
from hybridlint.runtime.compiled.engines.cuda.engine_fallback import FallbackExecutor
from hybridlint.runtime.compiled.engines.cuda.functions import ABILITIES
from hybridlint.runtime.compiled.engines.cuda.updating import device_updates
from hybridlint.runtime.compiled.engines.protocol import Engine, Executor
from hybridlint.runtime.compiled.graph import Graph, GraphNode
from hybridlint.runtime.compiled.lowering.partition import partition
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.platforms import Platform, Raw
from hybridlint.runtime.platforms.device_errors import DeviceError, DeviceLost, DeviceMemoryError
from hybridlint.runtime.platforms.toolkit import Toolkit


class CudaEngine:
    """Compiles for one GPU. `plain` runs there what has no generated kernel, and `host` is main memory's engine."""

    name = "cuda"

    stand_in = None

    def __init__(self, platform: Platform, toolkit: Toolkit, plain: Engine, host: Engine) -> None:
        self._platform = platform
        self._toolkit = toolkit
        self._plain = plain
        self._host = host
        self._updates = device_updates(platform, toolkit)
        self._updating = True

    def missing(self) -> None:
        """Return None: the platform has been found with all that it needs."""

    def compile(
        self, graph: Graph, *, training: bool, static_alloc: bool = False, results: int | None = None
    ) -> Executor:
        """Compile a graph. See `Engine`."""
        parts = partition(graph, ABILITIES, training=training)
        told: dict[str, Any] = {"training": training, "static_alloc": static_alloc, "results": results}

        def program() -> CompiledProgram:
            return CompiledProgram(
                graph,
                parts,
                plain=self._plain,
                platform=self._platform,
                toolkit=self._toolkit,
                training=training,
                static=static_alloc,
            )

        native = any(part.native for part in parts)
        return FallbackExecutor(
            program if native else "no operator has a generated kernel",
            partial(self._plain.compile, graph, **told),
            partial(self._host.compile, graph, **told),
            platform=self._platform,
            static=static_alloc,
        )

    def is_cheap(self, graph: Graph, node: GraphNode) -> bool:
        """Return False: results are stored for the backward pass, not computed again."""
        return False

    def update(self, op: Operator, raws: Sequence[Raw], params: Mapping[str, Any]) -> Sequence[int]:
        """Update a weight by one launch. Where the GPU fails at that, its array module updates from then on."""
        if not self._updating:
            return ()
        try:
            return self._updates.update(op, raws, params)
        except (DeviceMemoryError, DeviceLost):
            raise
        except DeviceError:
            self._updating = False
            return ()
