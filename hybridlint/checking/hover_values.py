"""Inferred values of the expressions of one file, for editors."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from hybridlint.core.diagnostic import place
from hybridlint.core.hover import HoverInfo
from hybridlint.text.screening import may_be_hybrid

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import Value
    from hybridlint.checking.axis_origins import AxisOrigins
    from hybridlint.proving.recording.store import Shapes
    from hybridlint.runtime.facts.declared import DeclaredShapes
    from hybridlint.text.source import SourceFile


def infer_values(
    source: SourceFile, recorded: Mapping[str, Shapes], declared: Mapping[str, DeclaredShapes]
) -> list[HoverInfo]:
    """Return the inferred values of the names and attributes in a file's hybrid code. Raises SourceError."""
    if not may_be_hybrid(source.text):
        return []
    from hybridlint.analysis.interpret import module_values
    from hybridlint.checking.axis_origins import AxisOrigins

    values = module_values(source, recorded, declared)
    origins = AxisOrigins(source, values)
    shown = ((node, held, values[held]) for node, held in _shown(source.tree, values))
    return [found for node, held, value in shown if (found := _one(source, node, held, value, origins)) is not None]


def _shown(tree: ast.AST, values: Mapping[ast.AST, Value]) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield the nodes that editors show, each with the expression whose value it holds.

    They are reads, assignment targets, and function arguments.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and node in values:
            yield node, node
        elif isinstance(node, ast.Assign) and node.value in values:
            yield from ((target, node.value) for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.FunctionDef):
            yield from _arguments(node, values)


def _arguments(function: ast.FunctionDef, values: Mapping[ast.AST, Value]) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield the arguments of a function, each with the place where it is first read."""
    spec = function.args
    first: dict[str, ast.Name] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node in values:
            known = first.setdefault(node.id, node)
            if (node.lineno, node.col_offset) < (known.lineno, known.col_offset):
                first[node.id] = node
    for argument in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
        if argument.arg in first:
            yield argument, first[argument.arg]


def _one(source: SourceFile, node: ast.AST, held: ast.AST, value: Value, origins: AxisOrigins) -> HoverInfo | None:
    from hybridlint.analysis.mxnet.editor_hints import shape, value_text

    what = value_text(value)
    if what is None:
        return None
    location, end_location = place(source, source.span(node))
    bound = isinstance(getattr(node, "ctx", None), ast.Store) or isinstance(node, ast.arg)
    return HoverInfo(location, end_location, source.code(node), what, shape(value), bound, origins.sources(node, held))
