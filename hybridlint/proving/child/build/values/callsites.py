"""Calls of constructors and of their instances in a project, as the brief has them, bound to live classes."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from hybridlint.proving.child.brief.construction import Construction

#: Most distinct calls of one class, and of its instances.
_MOST_CALLS = 6


class LiteralCall(NamedTuple):
    """How a project builds a block and calls it, as expressions for its module; `named` are keyword arguments."""

    arguments: tuple[tuple[str, str], ...]
    inputs: tuple[str, ...]
    named: tuple[tuple[str, str], ...]


class ConstructorCalls:
    """The calls in the package of a file, or in its folder if it is in no package."""

    def __init__(self, known: Construction) -> None:
        self.known = known

    def of(self, cls: Any) -> list[dict[str, str]]:
        """Return, for each call of a class, expressions by argument name; calls with the most arguments come first."""
        places = _places(cls)
        sites = self.known.calls.get(cls.__name__, ()) if places is not None else ()
        calls = [found for site in sites if (found := site.arguments(places or ()))]
        distinct = {str(sorted(found.items())): found for found in calls}
        return sorted(distinct.values(), key=lambda found: -len(found))[:_MOST_CALLS]

    def literal(self, cls: Any) -> list[LiteralCall]:
        """Return the calls of instances of a class whose arguments are all known, those in its own file first."""
        found: dict[LiteralCall, None] = {}
        places = _places(cls)
        for call in self.known.written.get(cls.__name__, ()) if places is not None else ():
            arguments = call.built.all_arguments(places or ())
            if arguments is not None:
                found.setdefault(LiteralCall(tuple(sorted(arguments.items())), call.inputs, tuple(call.named.items())))
        return list(found)[:_MOST_CALLS]


def _places(cls: Any) -> list[str] | None:
    try:
        return list(inspect.signature(cls).parameters)
    except (TypeError, ValueError):
        return None
