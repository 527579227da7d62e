"""The row at whose end a comment about a row of a source text can stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.text.screening import mentions
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import children


def noqa_row(source: SourceFile, row: int) -> int:
    """Return the row whose end may hold a comment for this row: the last of a string or continued line."""
    row = max(_ends_of_strings(source, row), default=row)
    while row < len(source.line_starts) and source.line(row).endswith("\\"):
        row += 1
    return row


def _ends_of_strings(source: SourceFile, row: int) -> Iterator[int]:
    """Yield the last rows of the strings that begin on or before a row and continue after it."""
    if not mentions(source.text, '"""') and not mentions(source.text, "'''"):
        return
    nodes: list[ast.AST] = [source.tree]
    for node in nodes:
        # A node without a position, such as a function's arguments, may hold nodes that have one.
        inner = [n for n in children(node) if _spans(n, row) is not False]
        yield from (
            n.end_lineno or row for n in inner if isinstance(n, ast.Constant | ast.JoinedStr) and _spans(n, row)
        )
        nodes += inner


def _spans(node: ast.AST, row: int) -> bool | None:
    """Whether a node begins on or before a row and ends after it; None for nodes without a position."""
    start, end = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    return None if start is None or end is None else start <= row < end
