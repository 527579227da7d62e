"""A module's classes, functions and calls, found in one walk, and which class uses which name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.text.syntax import each


class Survey:
    """The parts of a syntax tree, in breadth-first order as `ast.walk` gives them."""

    def __init__(self, tree: ast.Module) -> None:
        self.classes = each(tree, ast.ClassDef)
        self.functions: dict[str, ast.FunctionDef] = {}
        self.calls = each(tree, ast.Call)
        #: The rows of the calls of each bare name.
        self._rows: dict[str, list[int]] = {}
        for function in each(tree, ast.FunctionDef):
            self.functions.setdefault(function.name, function)
        for call in self.calls:
            if isinstance(call.func, ast.Name):
                self._rows.setdefault(call.func.id, []).append(call.lineno)

    def users(self, name: str) -> Iterator[ast.ClassDef]:
        """Yield the classes whose bodies call a function or class by its bare name, in the order of the file."""
        rows = self._rows.get(name)
        if not rows:
            return iter(())
        return (node for node in self.classes if any(node.lineno <= row <= (node.end_lineno or row) for row in rows))
