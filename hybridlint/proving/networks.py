"""Functions of a file that build a network of layers; a proof runs these networks like blocks, by function name.

A function counts if it returns a container of layers, or an instance of a class defined inside it. It must have no side
effects, and no class and no other such function of the file may refer to it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from hybridlint.proving.brief.builders import does_more
from hybridlint.proving.brief.effects import Effects
from hybridlint.runtime.facts.records import record
from hybridlint.text.source import SourceFile

_CONTAINER = re.compile(r"mxnet\..*(?:Sequential|Concurrent|Lambda)")


@record(frozen=True, slots=True)
class Network:
    """A function that builds a network: its row, and the names of the classes whose instances it returns."""

    row: int
    classes: frozenset[str]


def networks(source: SourceFile) -> dict[str, Network]:
    """Return the functions of a file that build networks, by name. Raises SourceError."""
    effects = Effects(source.tree)
    functions = effects.functions()
    building = _Building(effects)
    found = {
        name: node for name, node in functions.items() if not does_more(name) and building.builds(name) is not None
    }
    taken = set(_taken(source.tree, found))
    return {
        name: Network(node.lineno, frozenset(building.builds(name) or ()))
        for name, node in found.items()
        if name not in taken and effects.of(name) is None
    }


class _Building:
    """Finds the blocks that functions of a module return.

    `builds` returns the names of classes defined inside the function, an empty set for a container of layers, and None
    if the function builds no network.
    """

    def __init__(self, effects: Effects) -> None:
        self.effects = effects
        self.functions = effects.functions()
        self._known: dict[str, set[str] | None] = {}

    def builds(self, name: str) -> set[str] | None:
        if name not in self._known:
            self._known[name] = None
            self._known[name] = self._found(self.functions[name])
        return self._known[name]

    def _found(self, function: ast.FunctionDef | ast.Lambda) -> set[str] | None:
        if isinstance(function, ast.Lambda):
            return self._of(function.body, {}, set())
        own = list(_own(function))
        values: dict[str, list[ast.expr]] = {}
        for node in own:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                values.setdefault(node.targets[0].id, []).append(node.value)
        classes = {node.name for node in own if isinstance(node, ast.ClassDef)}
        returned = [node.value for node in own if isinstance(node, ast.Return) and node.value is not None]
        found_sets = [found for value in returned if (found := self._of(value, values, classes)) is not None]
        return set().union(*found_sets) if found_sets else None

    def _of(self, value: ast.expr, values: dict[str, list[ast.expr]], classes: set[str]) -> set[str] | None:
        if isinstance(value, ast.Name) and value.id in values:
            # Each variable is followed once, because its value may depend on itself.
            rest = {name: given for name, given in values.items() if name != value.id}
            candidates = (self._of(given, rest, classes) for given in values[value.id])
            return next((found for found in candidates if found is not None), None)
        if not isinstance(value, ast.Call):
            return None
        if isinstance(value.func, ast.Name) and value.func.id in classes:
            return {value.func.id}
        if isinstance(value.func, ast.Name) and value.func.id in self.functions:
            return self.builds(value.func.id)
        dotted = self.effects.imported(value.func)
        return set() if dotted is not None and _CONTAINER.fullmatch(dotted) else None


def _own(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes of a function that are not inside a nested function or class."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop(0)
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending += ast.iter_child_nodes(node)


def _taken(tree: ast.Module, building: dict[str, ast.FunctionDef | ast.Lambda]) -> Iterator[str]:
    """Yield the names of the functions in `building` that a class, or another such function, refers to."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    for owner in [*classes, *building.values()]:
        for node in ast.walk(owner):
            if isinstance(node, ast.Name) and node.id in building and building[node.id] is not owner:
                yield node.id
