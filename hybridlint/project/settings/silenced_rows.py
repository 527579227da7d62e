"""The rows that a comment silences beyond its line: a class, or the rest of an indented block."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.text.syntax import bodies

if TYPE_CHECKING:
    from hybridlint.text.source import SourceFile


def of_class(source: SourceFile, row: int) -> range | None:
    """Return the rows of a comment's class: the class right below the comment, or the innermost one around it."""
    classes = (node for node in _statements(source.tree.body) if isinstance(node, ast.ClassDef))
    found = [range(_first_row(node), (node.end_lineno or node.lineno) + 1) for node in classes]
    below = [rows for rows in found if rows.start == row + 1]
    around = [rows for rows in found if row in rows]
    return below[-1] if below else max(around, key=lambda rows: rows.start, default=None)


def end_of_block(source: SourceFile, row: int) -> int:
    """Return the last row of the block that contains a comment on a row, by its indentation."""
    line = source.line(row)
    depth = len(line) - len(line.lstrip())
    around = [
        block
        for statement in _statements(source.tree.body)
        if statement.lineno < row
        for block in bodies(statement)
        if block and block[0].col_offset <= depth and _end(block[-1]) >= row
    ]
    if not depth or not around:
        return len(source.line_starts)
    return _end(max(around, key=lambda block: block[0].col_offset)[-1])


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield all statements of a body, inner ones too."""
    for statement in body:
        yield statement
        for block in bodies(statement):
            yield from _statements(block)


def _end(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def _first_row(node: ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
