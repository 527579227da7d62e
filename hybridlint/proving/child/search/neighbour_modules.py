"""Functions and classes, in other modules of a package, that build blocks which use the classes of one module."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Collection, Iterator
from typing import Any

from hybridlint.proving.child.brief.construction import Construction
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.loaded_module import LoadedModule

#: Most modules that are imported for the classes of one module.
_MOST = 6
_NONE: frozenset[str] = frozenset()


def neighbouring(
    world: LoadedModule, known: Construction, class_names: Collection[str], deadline: float
) -> Iterator[tuple[str, Any | None]]:
    """Yield, for other modules of the package, what may build a block of a class named in `class_names`.

    Items are pairs (expression that calls a function, None) or (name of a class, the class). `world` can evaluate these
    names afterwards. No further module is read after the deadline.
    """
    base = world.mx.gluon.HybridBlock
    mentioning = (neighbour for neighbour in known.neighbours if not neighbour.mentions.isdisjoint(class_names))
    for neighbour in itertools.islice(mentioning, _MOST):
        name = neighbour.module
        if now() > deadline:
            return
        try:
            namespace = vars(importlib.import_module(name))
        except Exception:
            continue
        own = {
            key: value
            for key, value in namespace.items()
            if isinstance(value, type) and issubclass(value, base) and value.__module__ == name
        }
        for builder in neighbour.builders:
            function = namespace.get(builder.name) if builder.call else None
            reached = not builder.reaches.isdisjoint({*class_names, *own})
            if function is not None and reached and _lend(world, function):
                yield builder.call, None
        for key, cls in own.items():
            if not neighbour.classes.get(key, _NONE).isdisjoint(class_names) and _lend(world, cls):
                yield key, cls


def _lend(world: LoadedModule, value: Any) -> bool:
    """Make a function or class available to expressions by name; return False if the name has another meaning."""
    world.borrow(value)
    name = value.__name__
    return world.namespace.get(name, world.borrowed.get(name)) is value
