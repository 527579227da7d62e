"""The names that the functions around a class or function bind: code within sees them, whichever call has made it."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import cached_property

from hybridlint.analysis.dataflow.scopes import names_of
from hybridlint.analysis.imports.statements import ImportStatement
from hybridlint.analysis.project.definitions import definitions
from hybridlint.text.syntax import each

#: What only the text of a file has whose functions define classes or import.
_WITHIN = re.compile(r"^[ \t]+(?:class|from|import)\b", re.MULTILINE)


class OuterNames:
    """Finds what the functions around a node of a file bind."""

    def __init__(self, tree: ast.Module, text: str) -> None:
        kinds = (ast.ClassDef, ast.Import, ast.ImportFrom) if _WITHIN.search(text) else ()
        inner = [node for kind in kinds for node in each(tree, kind) if node.col_offset]
        functions = each(tree, ast.FunctionDef) if inner else ()
        self._functions = [function for function in functions if any(_holds(function, node) for node in inner)]
        self._around: dict[ast.AST, tuple[ast.FunctionDef, ...]] = {}
        self._definitions: dict[ast.FunctionDef, Mapping[str, ast.AST | ImportStatement]] = {}

    @cached_property
    def is_empty(self) -> bool:
        """Whether no function of the file binds names for an inner function."""
        return not self._functions

    def binding(self, node: ast.AST, name: str) -> ast.AST | ImportStatement | None:
        """Return the definition that the innermost function around a node gives to a name; None without a definition.

        It is the function's parameters if no statement defines the name.
        """
        for function in self._functions_around(node):
            if name in names_of(function).bound:
                if function not in self._definitions:
                    self._definitions[function] = definitions(function.body)
                return self._definitions[function].get(name, function.args)
        return None

    def _functions_around(self, node: ast.AST) -> tuple[ast.FunctionDef, ...]:
        if node not in self._around:
            around = [each for each in self._functions if each is not node and _holds(each, node)]
            self._around[node] = tuple(sorted(around, key=lambda each: -each.lineno))
        return self._around[node]


def _holds(outer: ast.FunctionDef, node: ast.AST) -> bool:
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    return outer.body[0].lineno <= first and last <= (outer.end_lineno or 0)
