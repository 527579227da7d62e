"""Values that are put together from blocks with steps, such as gradients of windows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hybridlint.runtime.compiled.lowering.elements import map_elements
from hybridlint.runtime.compiled.lowering.values import ArrayValue, Sizes


@dataclass(frozen=True, eq=False, slots=True)
class Earlier(ArrayValue):
    """The earlier content of the place where a part is added."""


@dataclass(frozen=True, eq=False, slots=True)
class Placed:
    """A part of a scattered value: its first position and the step between its elements, along each axis.

    The part of one that overlaps others is a sum with what stands there `earlier`.
    """

    value: ArrayValue
    starts: Sizes
    steps: Sizes
    earlier: Earlier | None = None

    def meets(self, other: Placed) -> bool:
        """Return whether some element may be in both parts."""
        axes = zip(self._ranges(), other._ranges(), strict=True)
        return all(_may_meet(mine, theirs) for mine, theirs in axes)

    def _ranges(self) -> Iterator[range]:
        for start, step, size in zip(self.starts, self.steps, self.value.shape, strict=True):
            yield range(start, start + step * size, step)


def _may_meet(one: range, other: range) -> bool:
    if one.step == other.step and (one.start - other.start) % one.step:
        return False
    return one[0] <= other[-1] and other[0] <= one[-1]


@dataclass(frozen=True, eq=False, slots=True)
class Scattered(ArrayValue):
    """Zeros to which parts are added, each in a block with steps, one after another."""

    parts: tuple[Placed, ...] = ()

    @property
    def sources(self) -> tuple[ArrayValue, ...]:
        """The values of the parts."""
        return tuple(part.value for part in self.parts)

    @property
    def covered(self) -> bool:
        """Whether no zero is left between the parts."""
        return sum(part.value.size for part in self.parts if part.earlier is None) == self.size

    def with_part(self, value: ArrayValue, starts: Sizes, steps: Sizes) -> Scattered:
        """Return it with one more part."""
        part = Placed(value, starts, steps)
        if any(map(part.meets, self.parts)):
            earlier = Earlier(value.shape)
            part = Placed(map_elements("add", earlier, value), starts, steps, earlier)
        return Scattered(self.shape, parts=(*self.parts, part))
