"""How a project builds and calls the blocks of a module: the part of the brief for the search of setups.

Each hint has the place that it comes from as its `origin`, ``net.py:12``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence


class CallSite(NamedTuple):
    """A call of a constructor or function, with its arguments as expressions for the module; None is not known.

    `positional` ends before a star, and `spread` has what dictionaries with two stars give. The call has `written`
    arguments, a dictionary being one.
    """

    origin: str
    positional: tuple[str | None, ...]
    named: Mapping[str, str | None]
    spread: Mapping[str, str | None]
    written: int
    starred: bool

    def arguments(self, places: Sequence[str]) -> dict[str, str]:
        """Return the known arguments by name; those given by position have the names `places`."""
        by_place = {} if self.starred else dict(zip(places, self.positional))  # noqa: B905 - runs under Python 3.8 too
        given = {**self.spread, **by_place, **self.named}
        return {name: text for name, text in given.items() if text is not None}

    def all_arguments(self, places: Sequence[str]) -> dict[str, str] | None:
        """Return all arguments by name, None if one is not known."""
        found = self.arguments(places)
        return None if self.starred or len(found) < self.written else found


class WrittenCall(NamedTuple):
    """A call of an instance that `built` makes, with all its inputs as expressions for the module."""

    origin: str
    built: CallSite
    inputs: tuple[str, ...]
    named: Mapping[str, str]


class Builder(NamedTuple):
    """A function that only builds a block: it uses the names `reaches`, itself or through other functions.

    `call` is an expression that calls it, "" if it has required arguments.
    """

    origin: str
    name: str
    call: str
    reaches: frozenset[str]


class Maker(NamedTuple):
    """A classmethod that builds an instance of its class."""

    origin: str
    cls: str
    method: str


class Neighbour(NamedTuple):
    """Another module of the package that mentions classes of the module: what builds blocks in it.

    `classes` are its classes, each with the names that its code uses.
    """

    module: str
    mentions: frozenset[str]
    builders: tuple[Builder, ...]
    classes: Mapping[str, frozenset[str]]


class Construction(NamedTuple):
    """The calls of constructors by name, calls of instances by class, and whatever else builds blocks."""

    calls: Mapping[str, tuple[CallSite, ...]] = {}
    written: Mapping[str, tuple[WrittenCall, ...]] = {}
    builders: tuple[Builder, ...] = ()
    makers: tuple[Maker, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()

    def building(self, classes: Collection[str]) -> Iterator[str]:
        """Yield calls of functions without required arguments that may return a block of one of `classes`."""
        yield from (each.call for each in self.builders if each.call and not each.reaches.isdisjoint(classes))

    def asking(self, classes: Collection[str]) -> Iterator[str]:
        """Yield the names of functions with required arguments that may return a block of one of `classes`."""
        yield from (each.name for each in self.builders if not each.call and not each.reaches.isdisjoint(classes))
