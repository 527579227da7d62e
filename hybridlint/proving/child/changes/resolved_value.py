"""The possible values of an expression: live objects, and objects that code creates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple


class ResolvedValue(NamedTuple):
    """The possible values of an expression: things, and the things inside a new container of unknown structure.

    A thing represents an object: ("live", its id), ("new", its creation), ("class", the name of its class) for a future
    instance, ("made", the name of its class) for the object that a constructor creates, ("of", the id of its class) if
    a library defines the class, ("code", the number of a function), ("type", its name) for a future class, or ("bound",
    thing, method). `unknown` says that it may be anything else; `made` that code has just built it.
    """

    things: frozenset[Any] = frozenset()
    inside: frozenset[Any] = frozenset()
    unknown: bool = False
    made: bool = False

    def with_(self, other: ResolvedValue) -> ResolvedValue:
        """Return a value that may be either of two values."""
        if self is NOTHING_KNOWN or other is NOTHING_KNOWN:
            return other if self is NOTHING_KNOWN else self
        return ResolvedValue(
            self.things | other.things,
            self.inside | other.inside,
            self.unknown or other.unknown,
            self.made and other.made,
        )


NOTHING_KNOWN = ResolvedValue()


def join_values(values: Iterable[ResolvedValue]) -> ResolvedValue:
    """Return a value that may be any of some values."""
    several = [value for value in values if value is not NOTHING_KNOWN]
    if len(several) < 2:
        return several[0] if several else NOTHING_KNOWN
    return ResolvedValue(
        frozenset().union(*(value.things for value in several)),
        frozenset().union(*(value.inside for value in several)),
        any(value.unknown for value in several),
        all(value.made for value in several),
    )
