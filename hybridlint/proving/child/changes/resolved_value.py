"""What an expression may stand for among live objects, and objects that code makes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple


class Value(NamedTuple):
    """What an expression may stand for: things, and those that a new container of unknown structure may hold.

    A thing stands for an object: ("live", its id), ("new", what makes it), ("class", the name of its class) for an
    instance that is not there yet, ("made", the name of its class) for the one that a constructor makes, ("of", the id
    of its class) if a library defines that, ("code", the number of a function), ("type", its name) for a class that is
    not there yet, or ("bound", thing, method). `unknown` says that it may be anything else; `made` that code has built
    it just there.
    """

    things: frozenset[Any] = frozenset()
    inside: frozenset[Any] = frozenset()
    unknown: bool = False
    made: bool = False

    def with_(self, other: Value) -> Value:
        """Return a value that may be either of two values."""
        if self is NOTHING_KNOWN or other is NOTHING_KNOWN:
            return other if self is NOTHING_KNOWN else self
        return Value(
            self.things | other.things,
            self.inside | other.inside,
            self.unknown or other.unknown,
            self.made and other.made,
        )


NOTHING_KNOWN = Value()


def joined(values: Iterable[Value]) -> Value:
    """Return a value that may be any of some values."""
    found = NOTHING_KNOWN
    for value in values:
        found = found.with_(value)
    return found
