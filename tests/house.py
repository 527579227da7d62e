"""What tests ask of the program's own modules: each module is parsed once, for all of their questions."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import hybridlint

#: The package; folders of the checkout stand in it as links.
PACKAGE = Path(hybridlint.__file__).parent

T = TypeVar("T")


class Reading(Generic[T]):
    """A question about a module, answered from its path, its tree and all nodes of the tree."""

    _all: ClassVar[list[Reading[Any]]] = []

    def __init__(self, read: Callable[[Path, ast.Module, Sequence[ast.AST]], T]) -> None:
        self._read = read
        self._found: dict[Path, T] = {}
        self._all.append(self)

    def of(self, path: Path) -> T:
        """Return the answer for a module."""
        if path not in self._found:
            tree = ast.parse(path.read_bytes())
            nodes = list(ast.walk(tree))
            # All trees together take 360 MB, so that none is kept.
            for reading in self._all:
                reading._found[path] = reading._read(path, tree, nodes)
        return self._found[path]


@cache
def modules() -> tuple[tuple[str, Path], ...]:
    """Return the modules of the program, by name."""
    return tuple(_modules())


def _modules() -> Iterator[tuple[str, Path]]:
    for folder, _, names in os.walk(PACKAGE, followlinks=True):
        for name in sorted(names):
            if name.endswith(".py"):
                path = Path(folder, name)
                parts = path.relative_to(PACKAGE).with_suffix("").parts
                yield ".".join(["hybridlint", *(part for part in parts if part != "__init__")]), path
