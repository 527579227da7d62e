"""Facts of the inputs of a function: the part of the brief that says what its code makes of its arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The keys of a called function: a name, a method of ``super()``, or what attributes of self lead to.
NAME, SUPER, OWN = ("name", "super", "own")


class Count(NamedTuple):
    """A number in code: itself, an attribute of self, or the length of what the attribute holds."""

    number: int = 0
    attribute: str = ""
    length: bool = False

    def of(self, block: Any) -> int | None:
        """Return the number for a block, None if it is not known."""
        value: Any = getattr(block, self.attribute, None) if self.attribute else self.number
        try:
            value = len(value) if self.length and value is not None else value
        except TypeError:
            return None
        return value if type(value) is int else None


class ItemCount(NamedTuple):
    """A number of items: that of the shortest of some lists, and `more`."""

    counts: tuple[Count, ...]
    more: int = 0

    def of(self, block: Any) -> int | None:
        """Return the number for a block, None if it is not known."""
        known = [number for number in (count.of(block) for count in self.counts) if number is not None]
        return min(known) + self.more if known else None


class Callee(NamedTuple):
    """A called function: a `name`, a method of that name of ``super()``, or what a `path` from self leads to.

    A path has attributes, each of the one before, and indices.
    """

    kind: str
    name: str = ""
    path: tuple[str | int, ...] = ()


class PassedInputs(NamedTuple):
    """A call with its arguments that are plain names, "" for any other; `named` has those given by keyword."""

    callee: Callee
    given: tuple[str, ...]
    named: Mapping[str, str]


class StarCall(NamedTuple):
    """A call with ``*inputs`` as an argument, after `before` others."""

    callee: Callee
    before: int


class Assignment(NamedTuple):
    """An assignment or loop at a row, with the names that it assigns and reads."""

    row: int
    targets: tuple[str, ...]
    sources: tuple[str, ...]


class InputFacts(NamedTuple):
    """Uses of the arguments of a function in its code, by their names; once assigned anew, they have others.

    `lists` are iterated over, `parts` maps unpacked lists to the names of their items, `absent` are compared with None,
    `chosen` are subscripted, `lengths` are sequence lengths, `indices` are indices, `positive` are arguments of
    functions such as logarithms. `looked_up` are pairs of an attribute of self that is called, and its first argument.
    `items` and `paired` are numbers of items: of what is taken apart by number, and of lists that are gone through
    beside other lists; `counts` has all of them for each argument. `ranks` are the least and most dimensions,
    `squeezed` the axes of size 1. `passed` are calls, and `loops` the variables of loops with the paths that they go
    through. `starred` are calls that get ``*inputs``, `taken` the names that these become, and `through` says whether a
    loop goes through them.
    """

    lists: tuple[str, ...] = ()
    parts: Mapping[str, tuple[str, ...]] = {}
    absent: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    lengths: tuple[str, ...] = ()
    indices: tuple[str, ...] = ()
    positive: tuple[str, ...] = ()
    looked_up: tuple[tuple[str, str], ...] = ()
    items: Mapping[str, tuple[ItemCount, ...]] = {}
    paired: Mapping[str, tuple[ItemCount, ...]] = {}
    counts: Mapping[str, tuple[ItemCount, ...]] = {}
    ranks: Mapping[str, tuple[int, int]] = {}
    squeezed: Mapping[str, tuple[int, ...]] = {}
    passed: tuple[PassedInputs, ...] = ()
    loops: tuple[tuple[str, tuple[str | int, ...]], ...] = ()
    starred: tuple[StarCall, ...] = ()
    taken: tuple[tuple[str, ...], ...] = ()
    through: bool = False
    assignments: tuple[Assignment, ...] = ()
