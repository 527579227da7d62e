"""Values that code keeps in attributes, in containers and in shared variables, at any place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hybridlint.proving.child.changes.resolved_value import NOTHING_KNOWN, ResolvedValue, join_values


class KeptValues:
    """Collects what code keeps in things, by key: an attribute begins with a dot, None is any item.

    The thing None is an object of which nothing is known.
    """

    def __init__(self) -> None:
        self._by_thing: dict[Any, dict[Any, ResolvedValue]] = {}
        self.size = 0

    def add(self, thing: Any, key: Any, value: ResolvedValue) -> None:
        """Note that a thing keeps a value."""
        kept = self._by_thing.setdefault(thing, {})
        earlier = kept.get(key, NOTHING_KNOWN)
        later = kept[key] = earlier.with_(value)._replace(made=False)
        self.size += _size(later) - _size(earlier)

    def of(self, things: Iterable[Any], key: Any) -> ResolvedValue:
        """Return the values that things keep under a key; an item's key includes values under unknown keys."""
        found: list[ResolvedValue] = []
        is_attribute = isinstance(key, str) and key.startswith(".")
        for thing in things:
            kept = self._by_thing.get(thing)
            if kept is None:
                continue
            if key is None:
                found += (value for name, value in kept.items() if not str(name).startswith("."))
            else:
                names = (key,) if is_attribute else (key, None)
                found += (kept[name] for name in names if name in kept)
        return join_values(found)


def _size(value: ResolvedValue) -> int:
    return len(value.things) + len(value.inside) + value.unknown
