"""Names that fixes gave to tensors and whose last reads other fixes replaced: their assignments are removed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.text.edits import Edit
from hybridlint.text.source import SourceFile, Span
from hybridlint.text.syntax import walk


def unread_copies(before: SourceFile, after: SourceFile) -> list[Edit]:
    """Return edits of `after` that remove assignments such as ``x_like = x`` of names that nothing reads.

    Only names that `before` does not have are considered, and only assignments on lines of their own.
    """
    if before.text == after.text:
        return []
    known = {node.id for node in walk(before.tree) if isinstance(node, ast.Name)}
    read = {n.id for n in walk(after.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return [
        Edit(Span(after.line_starts[row - 1], after.line_starts[row]), "")
        for row, name in _copies(after)
        if name not in known | read
    ]


def _copies(source: SourceFile) -> Iterator[tuple[int, str]]:
    """Yield the row and name of each copy on its own line that other statements of its block follow."""
    for node in walk(source.tree):
        body = getattr(node, "body", None)
        for statement in body[:-1] if isinstance(node, ast.FunctionDef) and body else ():
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name()):
                    if source.line(statement.lineno).strip() == source.code(statement):
                        yield statement.lineno, name
                case _:
                    pass
