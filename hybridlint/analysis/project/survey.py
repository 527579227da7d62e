"""A module's classes, functions and calls, found in one walk, and which class uses which name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from hybridlint.text.syntax import each


class Survey:
    """The parts of a syntax tree, in breadth-first order as `ast.walk` gives them."""

    def __init__(self, tree: ast.Module) -> None:
        self.classes = each(tree, ast.ClassDef)
        self.functions: dict[str, ast.FunctionDef] = {}
        self.calls = each(tree, ast.Call)
        #: The calls of each bare name.
        self._named: dict[str, list[ast.Call]] = {}
        for function in each(tree, ast.FunctionDef):
            self.functions.setdefault(function.name, function)
        for call in self.calls:
            if isinstance(call.func, ast.Name):
                self._named.setdefault(call.func.id, []).append(call)

    def users(self, name: str) -> Iterator[ast.ClassDef]:
        """Yield the classes whose bodies call `name`, a function or class, without a prefix, in the file's order."""
        rows = [call.lineno for call in self.calls_of(name)]
        if not rows:
            return iter(())
        return (node for node in self.classes if any(node.lineno <= row <= (node.end_lineno or row) for row in rows))

    def calls_of(self, name: str) -> Sequence[ast.Call]:
        """Return the calls of a function or class by its bare name."""
        return self._named.get(name, ())
