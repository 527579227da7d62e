"""The classes and functions of a module: their rows, the definition at a row, and which name each other."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from hybridlint.text.syntax import bodies, walk

_DEFINITION = (ast.ClassDef, ast.FunctionDef)


def definition_at(tree: ast.Module, row: int) -> str:
    """Return the name of the class or function of the module around a row; "" outside of all."""
    body = tree.body
    after = bisect_right(body, row, key=lambda node: node.lineno)
    node = body[after - 1] if after else None
    return node.name if isinstance(node, _DEFINITION) and row <= (node.end_lineno or row) else ""


@lru_cache(maxsize=4)
def groups(tree: ast.Module, apart: frozenset[str] = frozenset()) -> Mapping[str, int]:
    """Return the classes and functions of a module, each with a number that it shares with those that it names.

    What those in `apart` name does not belong together for that.
    """
    made = [node for node in tree.body if isinstance(node, _DEFINITION)]
    number = {node.name: number for number, node in enumerate(made)}
    group = {name: [name] for name in number}
    for node in made:
        if node.name in apart:
            continue
        for other in {n.id for n in walk(node) if isinstance(n, ast.Name) and n.id in group}:
            # The smaller group joins the larger one, so that no name changes its group often.
            small, large = sorted((group[node.name], group[other]), key=len)
            if small is not large:
                large += small
                group |= dict.fromkeys(small, large)
    return {name: number[together[0]] for name, together in group.items()}


def starting(tree: ast.Module) -> frozenset[str]:
    """Return the functions of a module that none of its classes and functions name, as ``main``."""
    made = {node.name: node for node in tree.body if isinstance(node, _DEFINITION)}
    named = {n.id for name, node in made.items() for n in walk(node) if isinstance(n, ast.Name) and n.id != name}
    return frozenset(name for name, node in made.items() if isinstance(node, ast.FunctionDef) and name not in named)


def having(tree: ast.Module, method: str) -> frozenset[str]:
    """Return the classes of a module that define a method of a name."""
    made = (node for node in tree.body if isinstance(node, ast.ClassDef))
    return frozenset(c.name for c in made if any(isinstance(n, ast.FunctionDef) and n.name == method for n in c.body))


def classes(body: Iterable[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    """Yield the classes among statements with their qualified names. Expressions are not searched."""
    for statement in body:
        inner = prefix
        if isinstance(statement, ast.ClassDef):
            yield prefix + statement.name, statement
            inner = f"{prefix}{statement.name}."
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = f"{prefix}{statement.name}.<locals>."
        for part in bodies(statement):
            yield from classes(part, inner)


def class_at(tree: ast.Module, row: int) -> tuple[str, range]:
    """Return the qualified name and the rows of the innermost class around a row; "" and no rows outside all."""
    around = [(name, range(node.lineno, (node.end_lineno or node.lineno) + 1)) for name, node in classes(tree.body)]
    return next((each for each in reversed(around) if row in each[1]), ("", range(0)))
