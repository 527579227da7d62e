"""The ways to run a graph on a GPU, fastest first, and why a way was not used. The last one always works."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.engines.cuda.compiled import CompiledProgram
from hybridlint.runtime.compiled.engines.parts import run_again
from hybridlint.runtime.compiled.engines.protocol import ExecutionStep, ExecutionWay, Executor, Timed
from hybridlint.runtime.compiled.plan import MemoryPlan
from hybridlint.runtime.platforms import Platform, Raw
from hybridlint.runtime.platforms.device_errors import DeviceError, DeviceLost, DeviceMemoryError
from hybridlint.runtime.platforms.numpy_platform import NUMPY

GRAPH, SEGMENTS, LINE, EAGER, CPU = WAYS = ("graph", "segments", "line", "eager", "cpu")
#: The environment variable that names the first way to try.
VARIABLE = "HYBRIDLINT_GPU_WAY"


def first_way() -> str | None:
    """Return the way that the environment names. Raises MXNetError for one that there is not."""
    named = os.environ.get(VARIABLE) or None
    if named is not None and named not in WAYS:
        raise MXNetError(f"{VARIABLE} names no way to run on a GPU, {named!r}: choose {' or '.join(WAYS)}")
    return named


class FallbackExecutor:
    """Runs a graph on a GPU in the first way that works, and in the next after a GPU failure.

    `program` makes the compiled code, or is the reason why there is none; `eager` and `cpu` make the others' executors.
    With `static` buffers are kept between calls.
    """

    def __init__(
        self,
        program: Callable[[], CompiledProgram] | str,
        eager: Callable[[], Executor],
        cpu: Callable[[], Executor],
        *,
        platform: Platform,
        static: bool,
    ) -> None:
        self.platform = platform
        self._make = {EAGER: eager, CPU: cpu}
        self._made: dict[str, Executor] = {}
        self._refused: dict[str, str] = {}
        self._program: CompiledProgram | None = None
        named = first_way()
        for way in WAYS[: WAYS.index(named)] if named else ():
            self._refused[way] = f"{VARIABLE} is {named}"
        if LINE not in self._refused:
            self._compile(program, static=static or named in {GRAPH, SEGMENTS})

    def _compile(self, program: Callable[[], CompiledProgram] | str, *, static: bool) -> None:
        """Compile the code, and note which ways to run it do not work."""
        if isinstance(program, str):
            self._refuse(program, GRAPH, SEGMENTS, LINE)
            return
        try:
            with self.platform.computing():
                made = self._program = program()
        except (DeviceMemoryError, DeviceLost):
            raise
        except DeviceError as error:
            self._refuse(f"compiling failed: {error.reason}", GRAPH, SEGMENTS, LINE)
            return
        if not static:
            self._refuse("buffers are not kept between calls, hybridize(static_alloc=True) keeps them", GRAPH, SEGMENTS)
            return
        for way, reason in ((GRAPH, made.not_one_graph()), (SEGMENTS, made.not_in_segments())):
            if reason is not None:
                self._refuse(reason, way)

    def _refuse(self, reason: str, *ways: str) -> None:
        for way in ways:
            self._refused.setdefault(way, reason)

    # -- what it is

    @property
    def taken(self) -> str:
        """The way that calls take now."""
        return next(way for way in WAYS if way not in self._refused)

    @property
    def ways(self) -> Sequence[ExecutionWay]:
        """The ways to run that were tried; the last one is in use."""
        return [
            *(ExecutionWay(way, self._refused[way]) for way in WAYS[: WAYS.index(self.taken)]),
            ExecutionWay(self.taken),
        ]

    @property
    def plan(self) -> MemoryPlan:
        """The memory plan of the way in which the graph runs now."""
        return self._current().plan

    @property
    def steps(self) -> Sequence[ExecutionStep]:
        """What runs, in order."""
        return self._current().steps

    @property
    def compiling(self) -> str | None:
        """How many kernels were compiled, by which compiler, and how long it took."""
        return self._current().compiling

    @property
    def source(self) -> str:
        """CUDA's C, or the function that calls the array module."""
        return self._current().source

    def _current(self) -> CompiledProgram | Executor:
        taken = self.taken
        if taken in self._make:
            if taken not in self._made:
                self._made[taken] = self._make[taken]()
            return self._made[taken]
        assert self._program is not None
        return self._program

    # -- running

    def __call__(self, inputs: Sequence[Raw], rng: Any = None) -> tuple[Raw, ...]:
        """Run on arrays in the order of the graph's inputs.

        Raises MXNetError if a kernel fails, or every way does; at once where the GPU has no memory, or is lost.
        """
        while True:
            way = self.taken
            try:
                return self._run(way, inputs, rng)
            except (DeviceMemoryError, DeviceLost):
                raise
            except DeviceError as error:
                if way == CPU:
                    raise
                self._refuse(f"it failed: {error.reason}", way)

    def again(self, inputs: Sequence[Raw], changing: Sequence[int]) -> Callable[[Sequence[Raw]], Sequence[Raw]]:
        """Return a function that runs on these inputs, with other arrays at some positions."""
        return run_again(self, inputs, changing)

    def timed(self, inputs: Sequence[Raw], runs: int) -> Sequence[Timed]:
        """Return how long each part took, launched one by one."""
        with self.platform.computing():
            return self._current().timed(inputs, runs)

    def _run(self, way: str, inputs: Sequence[Raw], rng: Any) -> tuple[Raw, ...]:
        current = self._current()
        if isinstance(current, CompiledProgram):
            with self.platform.computing():
                return (current.launched if way == LINE else current.replayed)(inputs, rng)
        if way == EAGER:
            return current(inputs, rng)
        found = current([self.platform.to_host(raw) for raw in inputs], None)
        return tuple(self.platform.from_host(NUMPY.xp.ascontiguousarray(raw)) for raw in found)
