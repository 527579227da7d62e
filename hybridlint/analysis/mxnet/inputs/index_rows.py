"""Arguments whose rows serve as indices: the two rows of ``edge_index``, which select nodes of a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from hybridlint.runtime.facts import lookup


def taken_as_indices(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names whose rows, taken by a number, some code uses as the indices of an operator."""
    nodes = list(nodes)
    rows: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target, value in _pairs(node):
                if (name := _row_of(value)) is not None and isinstance(target, ast.Name):
                    rows.setdefault(target.id, set()).add(name)
    found: set[str] = set()
    for node in nodes:
        for given in _indices(node):
            if (name := _row_of(given)) is not None:
                found.add(name)
            elif isinstance(given, ast.Name):
                found |= rows.get(given.id, set())
    return frozenset(found)


def _pairs(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield each target of an assignment with its value, also those of ``a, b = x[0], x[1]``."""
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=False)
        else:
            yield target, node.value


def _row_of(node: ast.expr) -> str | None:
    """Return the name of ``name[1]``; None for anything else."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int())):
            return name
        case _:
            return None


def _indices(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the arguments of an operator's call that hold indices."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    operator = lookup.of_tensors(node.func.attr)
    if operator is None or not operator.facts.indices:
        return
    of_function = isinstance(node.func.value, ast.Name) and len(node.args) >= len(operator.inputs)
    inputs = operator.inputs if of_function else operator.inputs[1:]
    yield from (given for name, given in zip(inputs, node.args, strict=False) if name in operator.facts.indices)
    yield from (keyword.value for keyword in node.keywords if keyword.arg in operator.facts.indices)
