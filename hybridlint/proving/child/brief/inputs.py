"""Facts of the inputs of a function: the part of the brief that says what its code makes of its arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.core import schema
from hybridlint.proving.child.brief.codec import TEXT, by_name, record, several

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Union

    #: Attributes of self, each of the one before, and indices.
    Path = Sequence[Union[str, int]]  # noqa: UP007 - the child also runs under Python 3.8

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
    """A called function: a `name`, a method of that name of ``super()``, or what a `path` from self leads to."""

    kind: str
    name: str = ""
    path: Path = ()


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
    loops: tuple[tuple[str, Path], ...] = ()
    starred: tuple[StarCall, ...] = ()
    taken: tuple[tuple[str, ...], ...] = ()
    through: bool = False
    assignments: tuple[Assignment, ...] = ()


_TEXTS = several(TEXT)
_NUMBER = schema.whole(-(1 << 53))
_PATH = several(lambda value: _NUMBER(value) if type(value) is int else TEXT(value))
_CALLEE = record(Callee, kind=schema.one_of(NAME, SUPER, OWN), name=TEXT, path=_PATH)
_COUNTS = by_name(
    several(
        record(
            ItemCount,
            counts=several(record(Count, number=_NUMBER, attribute=TEXT, length=schema.flag)),
            more=schema.whole(),
        )
    )
)
#: The declaration of `InputFacts` as JSON data.
INPUTS = record(
    InputFacts,
    lists=_TEXTS,
    parts=by_name(_TEXTS),
    absent=_TEXTS,
    chosen=_TEXTS,
    lengths=_TEXTS,
    indices=_TEXTS,
    positive=_TEXTS,
    looked_up=several(_TEXTS),
    items=_COUNTS,
    paired=_COUNTS,
    counts=_COUNTS,
    ranks=by_name(several(_NUMBER)),
    squeezed=by_name(several(_NUMBER)),
    passed=several(record(PassedInputs, callee=_CALLEE, given=_TEXTS, named=by_name(TEXT))),
    loops=several(schema.parts(TEXT, _PATH)),
    starred=several(record(StarCall, callee=_CALLEE, before=schema.whole())),
    taken=several(_TEXTS),
    through=schema.flag,
    assignments=several(record(Assignment, row=schema.whole(), targets=_TEXTS, sources=_TEXTS)),
)
