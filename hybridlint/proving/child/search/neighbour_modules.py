"""Functions and classes, in other modules of a package, that build blocks which use the classes of one module."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Collection, Iterator
from typing import Any

from hybridlint.proving.child.build.factories import factories
from hybridlint.proving.child.build.values.callsites import ConstructorCalls
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.loaded_module import LoadedModule

#: Most modules that are imported for the classes of one module.
_MOST = 6


def neighbouring(
    world: LoadedModule, sites: ConstructorCalls, class_names: Collection[str], deadline: float
) -> Iterator[tuple[str, Any | None]]:
    """Yield, for other modules of the package, what may build a block of a class named in `class_names`.

    Items are pairs (expression that calls a function, None) or (name of a class, the class). `world` can evaluate these
    names afterwards. No further module is read after the deadline.
    """
    base = world.mx.gluon.HybridBlock
    for name, text in _modules(sites, class_names):
        if now() > deadline:
            return
        try:
            namespace = vars(importlib.import_module(name))
            tree = ast.parse(text)
        except Exception:
            continue
        own = {
            key: value
            for key, value in namespace.items()
            if isinstance(value, type) and issubclass(value, base) and value.__module__ == name
        }
        for expression in factories(str(namespace.get("__file__")), tree, [*class_names, *own]):
            function = namespace.get(expression.partition("(")[0])
            if function is not None and _lend(world, function):
                yield expression, None
        speaking = _speaking(tree, class_names)
        yield from ((key, cls) for key, cls in own.items() if key in speaking and _lend(world, cls))


def _modules(sites: ConstructorCalls, class_names: Collection[str]) -> list[tuple[str, str]]:
    found = [(name, text) for name, text in sites.mentioning(class_names) if name != sites.module]
    return found[:_MOST]


def _lend(world: LoadedModule, value: Any) -> bool:
    """Make a function or class available to expressions by name; return False if the name has another meaning."""
    world.borrow(value)
    name = value.__name__
    return world.namespace.get(name, world.borrowed.get(name)) is value


def _speaking(tree: ast.Module, class_names: Collection[str]) -> set[str]:
    """Return the classes of a module whose code refers to a class in `class_names`."""
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and any(isinstance(part, ast.Name) and part.id in class_names for part in ast.walk(node))
    }
