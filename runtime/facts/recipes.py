"""How an operator computes in memory that a plan gives it, where its kernel would take memory of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.types import Ints, TensorType

#: ``(xp, ins, outs, kept, scratch) -> None`` computes; an output that nothing takes is None.
Run: TypeAlias = Callable[[Any, Sequence[Any], Sequence[Any], Sequence[Any], Sequence[Any]], None]
#: ``(xp, steady inputs, kept) -> None`` fills what is kept.
Prepare: TypeAlias = Callable[[Any, Sequence[Any], Sequence[Any]], None]


@record(frozen=True, slots=True)
class BufferRecipe:
    """How an operator computes for arrays of known types.

    Of the inputs at the positions `steady`, which seldom change, `prepare` makes what is `kept`, anew when they have
    changed: `run` gets None in their places. `scratch` holds nothing from one run to the next.
    """

    run: Run
    scratch: tuple[TensorType, ...] = ()
    kept: tuple[TensorType, ...] = ()
    steady: tuple[int, ...] = ()
    prepare: Prepare | None = None
    #: Whether the first output lies in memory with its second axis, that of the channels, last.
    channels_last: bool = False
    #: Whether the first output lies in memory as the first input does, in whatever order.
    follows: bool = False
    #: Whether the first output may be the memory of the first input.
    in_place: bool = False
    #: It computes so many outputs at most.
    outputs: int = 1


def sizes_of(held: TensorType) -> Ints:
    """Return the sizes of a type that is completely known."""
    return tuple(size for size in held.shape or () if isinstance(size, int))


def count_of(held: TensorType) -> int:
    """Return the number of elements of a type that is completely known."""
    return prod(sizes_of(held))
