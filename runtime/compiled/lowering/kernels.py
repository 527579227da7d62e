"""Kernels: loops over memory, made from values. Native code is written from kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from hybridlint.runtime.compiled.lowering.values import ArrayValue, Map, Sizes
from hybridlint.runtime.platforms.protocol import Raw


@dataclass(frozen=True, slots=True)
class Buffer:
    """Memory for some numbers: an input array (a graph's value), a returned array, or scratch."""

    number: int
    size: int
    #: The graph's value that is given here.
    given: int | None = None
    #: The position among the results that are returned.
    result: int | None = None
    #: Whether it holds numbers that never change.
    fixed: bool = False
    dtype: str = "float32"

    @property
    def scratch(self) -> bool:
        """Whether it is written and read by kernels only."""
        return self.given is None and self.result is None and not self.fixed


@dataclass(frozen=True, slots=True)
class Access:
    """Where elements lie: a buffer, the position of the first, and the step along each axis."""

    buffer: Buffer
    start: int
    steps: Sizes


@dataclass(frozen=True, eq=False, slots=True)
class Tree:
    """A value as a function of elements of stored values: `leaves` has their places, in axes of the domain."""

    root: ArrayValue
    leaves: Mapping[ArrayValue, Access]

    @property
    def functions(self) -> int:
        """How many functions of elements are computed."""
        found: set[ArrayValue] = set()
        waiting = [self.root]
        while waiting:
            value = waiting.pop()
            if value not in found and value not in self.leaves and isinstance(value, Map):
                found.add(value)
                waiting += value.sources
        return len(found)


@dataclass(frozen=True, eq=False, slots=True)
class Loop:
    """Each element of a domain: a function of elements, written to `target`."""

    sizes: Sizes
    tree: Tree
    target: Access

    def accesses(self) -> Iterator[Access]:
        """Return where it writes, then where it reads."""
        yield self.target
        yield from self.tree.leaves.values()


@dataclass(frozen=True, eq=False, slots=True)
class Fold:
    """Elements combined over `axes` of a domain; `target` has steps of 0 there."""

    sizes: Sizes
    axes: Sizes
    function: str
    tree: Tree
    target: Access

    def accesses(self) -> Iterator[Access]:
        """Return where it writes, then where it reads."""
        yield self.target
        yield from self.tree.leaves.values()


class Kernel(Protocol):
    """A loop over memory: one of these, or one that an engine has of its own."""

    @property
    def sizes(self) -> Sizes:
        """The sizes of its domain."""

    def accesses(self) -> Iterator[Access]:
        """Return where it writes, then where it reads."""


@dataclass(frozen=True, eq=False, slots=True)
class Schedule:
    """Kernels in the order in which they run, and the memory that they use."""

    kernels: tuple[Kernel, ...]
    buffers: tuple[Buffer, ...]
    #: The numbers of buffers that are fixed.
    tables: Mapping[Buffer, Raw]
