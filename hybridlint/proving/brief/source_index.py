"""An index of a source, made once: its calls, the values of its names, the text of its nodes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from hybridlint.analysis.imports.statements import imports

#: Files, and functions of them, whose answers are kept.
_FILES, _SCOPES = 64, 4_096
_ROW = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class ScopedCall(NamedTuple):
    """A call, with the functions around it, the outermost first."""

    call: ast.Call
    functions: tuple[Any, ...]


@lru_cache(maxsize=_FILES)
def scoped_calls(tree: ast.AST) -> tuple[ScopedCall, ...]:
    """Return the calls of a file in the order of their text."""
    return tuple(_calls_below(tree))


def _calls_below(tree: ast.AST) -> Iterator[ScopedCall]:
    # Without recursion: a sum of 500 terms is as many expressions, one in another.
    waiting: list[tuple[ast.AST, tuple[Any, ...]]] = [(child, ()) for child in _children(tree)]
    while waiting:
        part, around = waiting.pop()
        if isinstance(part, ast.Call):
            yield ScopedCall(part, around)
        inside = (*around, part) if isinstance(part, FUNCTIONS) else around
        waiting += [(child, inside) for child in _children(part)]


def _children(node: ast.AST) -> list[ast.AST]:
    """Return the children of a node, the last one first."""
    return [*ast.iter_child_nodes(node)][::-1]


@lru_cache(maxsize=_SCOPES)
def stored_values(scope: ast.AST) -> dict[str, list[ast.expr | None]]:
    """Return the values that statements below a function or module assign to each name, None for each store.

    An assignment is seen twice: as a statement, and as a stored name.
    """
    found: dict[str, list[ast.expr | None]] = {}
    body = getattr(scope, "body", [])
    for statement in body if isinstance(body, list) else []:
        for node in ast.walk(statement):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, []).append(node.value)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.setdefault(node.id, []).append(None)
    return found


@lru_cache(maxsize=_SCOPES)
def assignments(scope: ast.AST) -> dict[str, list[ast.expr]]:
    """Return the values that a scope assigns to each name and to each attribute of self, such as ``self.net``."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign):
            for key in dict.fromkeys(filter(None, map(key_of, node.targets))):
                found.setdefault(key, []).append(node.value)
    return found


def key_of(node: ast.AST) -> str | None:
    """Return a name, or an attribute of self, as text; None for other expressions."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        return f"self.{node.attr}"
    return None


@lru_cache(maxsize=_FILES)
def functions_by_name(tree: ast.AST) -> dict[str, list[ast.FunctionDef]]:
    """Return the functions of a file by their names."""
    found: dict[str, list[ast.FunctionDef]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return found


@lru_cache(maxsize=_SCOPES)
def imported_names(scope: ast.AST) -> dict[str, list[str]]:
    """Return the dotted names of the modules and objects that each name means by imports in a scope."""
    found: dict[str, list[str]] = {}
    for name, statement in imports(ast.walk(scope)):
        found.setdefault(name, []).append(statement.dotted)
    return found


def segment(text: str, node: ast.expr) -> str | None:
    """Return the text of an expression, None if its rows are unknown."""
    if node.end_lineno is None or node.end_col_offset is None:
        return None
    rows = _rows(text)[node.lineno - 1 : node.end_lineno]
    if not rows:
        return None
    # Column offsets count UTF-8 bytes.
    if len(rows) == 1:
        return rows[0].encode()[node.col_offset : node.end_col_offset].decode()
    first, last = rows[0].encode()[node.col_offset :].decode(), rows[-1].encode()[: node.end_col_offset].decode()
    return "".join([first, *rows[1:-1], last])


@lru_cache(maxsize=_FILES)
def _rows(text: str) -> list[str]:
    """Return the rows of a text with their ends. A form feed ends none, as in Python's grammar."""
    return _ROW.findall(text)
