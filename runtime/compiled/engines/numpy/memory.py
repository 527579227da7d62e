"""The memory of one run at a time of a plan: buffers, and prepared forms of inputs that seldom change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hybridlint.runtime.compiled.plan import MemoryPlan
from hybridlint.runtime.core.writes import WriteWatch, latest, watch
from hybridlint.runtime.facts.recipes import BufferRecipe
from hybridlint.runtime.platforms import Platform, Raw


@dataclass(frozen=True, slots=True)
class Preparing:
    """How a node's recipe gets what it keeps: from the graph's inputs at the positions `sources`.

    ``steady(inputs)`` returns the node's steady inputs.
    """

    at: int
    recipe: BufferRecipe
    sources: tuple[int, ...]
    steady: Callable[[Sequence[Raw]], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class _Made:
    """The arrays from which something was prepared, and their numbers of writes at that time."""

    origins: tuple[Raw, ...]
    watches: tuple[WriteWatch, ...]
    counts: tuple[int, ...]

    @staticmethod
    def of(raws: Sequence[Raw]) -> _Made:
        watches = tuple(map(watch, raws))
        return _Made(tuple(raws), watches, tuple(w.count for w in watches))

    @property
    def certain(self) -> bool:
        """Whether every write to the arrays is counted."""
        return all(w.certain for w in self.watches)

    def holds(self, raws: Sequence[Raw]) -> bool:
        """Return whether it was prepared from these arrays, and they were not written to since."""
        same = all(a is b for a, b in zip(self.origins, raws, strict=True))
        return same and self.certain and all(w.count == n for w, n in zip(self.watches, self.counts, strict=True))


class ArrayMemory:
    """The memory of a plan, as arrays; `buffers` lie in the order of the plan's slots. None is reserved at first."""

    def __init__(self, plan: MemoryPlan, recipes: Mapping[int, BufferRecipe], platform: Platform) -> None:
        self._plan, self._recipes, self._platform = plan, recipes, platform
        #: Arrays of planned values, and the scratch of each recipe; None while none is reserved.
        self.buffers: list[Raw] | None = None
        self.scratch: dict[int, list[Raw]] = {}
        self.kept: dict[int, list[Raw]] = {}
        self._made: dict[int, _Made] = {}
        self._seen: list[tuple[int, Raw]] = []
        #: The latest write of all when everything was prepared; None if something is to be looked at in any case.
        self._settled: object = None

    def acquire(self) -> list[Raw]:
        """Return the buffers, reserved where there are none."""
        if self.buffers is None:
            plan, view = self._plan, self._platform.view
            lasting = {slot for slots in plan.kept.values() for slot in slots}
            memory = {k: self._platform.reserve(size) for k, size in enumerate(plan.sizes) if k not in lasting}
            with self._platform.computing():
                self.buffers = [self._array(memory[slot], value) for value, slot in plan.slots.items()]
                for at, slots in plan.scratch.items():
                    types = self._recipes[at].scratch
                    self.scratch[at] = [view(memory[slot], held) for slot, held in zip(slots, types, strict=True)]
        return self.buffers

    def _array(self, memory: Raw, value: int) -> Raw:
        held = self._plan.graph.types[value]
        if value not in self._plan.channels_last:
            return self._platform.view(memory, held)
        assert held.shape is not None
        first, channels, *rest = held.shape
        turned: Raw = self._platform.view(memory, held.with_shape((first, *rest, channels)))
        return self._platform.xp.moveaxis(turned, -1, 1)  # type: ignore[no-any-return]

    def release(self) -> None:
        """Give back what need not last."""
        self.buffers = None
        self.scratch = {}

    def settle(self, steps: Sequence[Preparing], inputs: Sequence[Raw]) -> None:
        """Prepare what has changed, or may have."""
        if self._settled is latest.write and all(inputs[k] is raw for k, raw in self._seen):
            return
        now = latest.write
        self._settled = None
        for step in steps:
            raws = [inputs[k] for k in step.sources]
            if step.at not in self._made or not self._made[step.at].holds(raws):
                self._made.pop(step.at, None)
                made = _Made.of(raws)
                self._prepare(step, inputs)
                self._made[step.at] = made
        self._seen = [(k, inputs[k]) for k in dict.fromkeys(k for step in steps for k in step.sources)]
        if all(made.certain for made in self._made.values()):
            self._settled = now

    def _prepare(self, step: Preparing, inputs: Sequence[Raw]) -> None:
        if step.at not in self.kept:
            reserve, view = self._platform.reserve, self._platform.view
            slots = zip(self._plan.kept[step.at], step.recipe.kept, strict=True)
            self.kept[step.at] = [view(reserve(self._plan.sizes[slot]), held) for slot, held in slots]
        assert step.recipe.prepare is not None
        with self._platform.computing():
            step.recipe.prepare(self._platform.xp, step.steady(inputs), self.kept[step.at])
