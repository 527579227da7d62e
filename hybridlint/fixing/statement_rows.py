"""Whether two rows belong to one simple statement, which a fix of either is a change of."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache

from hybridlint.text.syntax import bodies, walk


def in_one_statement(tree: ast.AST, row: int, other: int) -> bool:
    """Return whether two rows of a file belong to one statement that contains no other statements."""
    rows = _statements(tree)
    return row == other or (row in rows and rows[row] == rows.get(other))


@lru_cache(maxsize=4)
def _statements(tree: ast.AST) -> Mapping[int, int]:
    """Return the first row of the simple statement that each row belongs to."""
    simple = (n for n in walk(tree) if isinstance(n, ast.stmt) and not any(bodies(n)))
    return {row: node.lineno for node in simple for row in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
