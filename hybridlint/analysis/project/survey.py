"""A module's classes, functions and calls, found in one walk, and which class uses which name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.text.syntax import branches

_KINDS = frozenset({ast.Call, ast.ClassDef, ast.FunctionDef})


class Survey:
    """The parts of a syntax tree, in breadth-first order as `ast.walk` gives them."""

    def __init__(self, tree: ast.Module) -> None:
        self.classes: list[ast.ClassDef] = []
        self.functions: dict[str, ast.FunctionDef] = {}
        self.calls: list[ast.Call] = []
        #: The rows of the calls of each bare name.
        self._rows: dict[str, list[int]] = {}
        for node in branches(tree):
            if type(node) not in _KINDS:
                continue
            if isinstance(node, ast.Call):
                self._call(node)
            elif isinstance(node, ast.ClassDef):
                self.classes.append(node)
            elif isinstance(node, ast.FunctionDef):
                self.functions.setdefault(node.name, node)

    def users(self, name: str) -> Iterator[ast.ClassDef]:
        """Yield the classes whose bodies call a function or class by its bare name, in the order of the file."""
        rows = self._rows.get(name)
        if not rows:
            return iter(())
        return (node for node in self.classes if any(node.lineno <= row <= (node.end_lineno or row) for row in rows))

    def _call(self, node: ast.Call) -> None:
        self.calls.append(node)
        if isinstance(node.func, ast.Name):
            self._rows.setdefault(node.func.id, []).append(node.lineno)
