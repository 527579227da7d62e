"""The numbers with which code compares or combines a setting: where its value begins to make a difference.

They are literals, attributes of the block, and globals of its module.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from hybridlint.proving.brief.stores import targets
from hybridlint.proving.child.brief.changes import Number
from hybridlint.proving.child.changes.source_nodes import is_self

#: Whether an expression, the first, of a function reads a setting.
Reads: TypeAlias = Callable[[ast.AST, ast.AST], bool]

#: Functions that choose between a setting and other numbers.
_CHOOSING = ("min", "max", "clip")


def thresholds(functions: Iterable[ast.AST], reads: Reads) -> tuple[Number, ...]:
    """Return the numbers that functions compare or combine with a setting, in the order of the source.

    `reads` tells whether an expression of a function reads that setting.
    """
    found: dict[Number, None] = {}
    for function in functions:
        for expression in deciding(function):
            parts = list(ast.walk(expression))
            own = {id(inner) for part in parts if reads(part, function) for inner in ast.walk(part)}
            if own:
                others = (_number(part, function) for part in parts if id(part) not in own)
                found.update((number, None) for number in others if number is not None)
    return tuple(found)


def direction(tree: ast.AST, names: Callable[[ast.AST], bool]) -> int:
    """Return 1 if a module's code only adds to an existing setting, -1 if it only subtracts, else 0.

    `names` tells whether an expression may be that setting.
    """
    made = {id(node) for function in ast.walk(tree) if _is_constructor(function) for node in ast.walk(function)}
    outer = {id(node) for statement in getattr(tree, "body", ()) for node in _simple(statement)}
    added = {id(node.target): _sign(node) for node in ast.walk(tree) if isinstance(node, ast.AugAssign)}
    ways = {added.get(id(node), 0) for node in targets(tree) if names(node) and id(node) not in made | outer}
    return ways.pop() if len(ways) == 1 else 0


def _simple(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement that sets a global up."""
    return ast.walk(statement) if isinstance(statement, (ast.Assign, ast.AnnAssign)) else iter(())


def _is_constructor(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == "__init__"


def _sign(node: ast.AugAssign) -> int:
    return 1 if isinstance(node.op, ast.Add) else -1 if isinstance(node.op, ast.Sub) else 0


def deciding(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the comparisons, the steps of whole numbers, and the choices between numbers in a function."""
    for node in ast.walk(function):
        stepped = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.FloorDiv, ast.Mod))
        if isinstance(node, ast.Compare) or stepped or (isinstance(node, ast.Call) and _called(node) in _CHOOSING):
            yield node


def _called(node: ast.Call) -> str:
    return getattr(node.func, "id", "") or getattr(node.func, "attr", "")


def _number(node: ast.AST, function: ast.AST) -> Number | None:
    """Return the number that a part of an expression may stand for, None if it is none."""
    if isinstance(node, ast.Constant):
        value = node.value
        return Number(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    if isinstance(node, ast.Attribute) and is_self(node.value, function):
        return Number(attribute=node.attr)
    return Number(of_module=node.id) if isinstance(node, ast.Name) else None
