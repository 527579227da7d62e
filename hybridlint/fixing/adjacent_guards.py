"""Guards that fixes put around statements one after another: one guard around all of them."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from hybridlint.text.edits import Edit
from hybridlint.text.source import SourceFile, Span
from hybridlint.text.syntax import branches, walk


def adjacent_guards(before: SourceFile, after: SourceFile) -> list[Edit]:
    """Return edits of `after` that join neighbouring branches of one test, if `before` has no branch of that test."""
    if before.text == after.text:
        return []
    known = set(before.text.splitlines())
    edits = []
    for first, second in _neighbours(after.tree):
        head = after.line(second.lineno)
        new = head not in known and head == after.line(first.lineno)
        if new and _only_blank(after, (first.end_lineno or first.lineno) + 1, second.lineno) and not _changes(first):
            edits.append(Edit(Span(after.line_starts[second.lineno - 1], after.line_starts[second.lineno]), ""))
    return edits


def _neighbours(tree: ast.Module) -> Iterator[tuple[ast.If, ast.If]]:
    """Yield branches without an alternative that follow each other, and whose first line holds the test alone."""
    for parent in branches(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            for first, second in itertools.pairwise(block if isinstance(block, list) else ()):
                if isinstance(first, ast.If) and isinstance(second, ast.If):
                    plain = not (first.orelse or second.orelse)
                    below = all(one.body[0].lineno == one.lineno + 1 for one in (first, second))
                    if plain and below:
                        yield first, second


def _only_blank(source: SourceFile, first: int, last: int) -> bool:
    """Whether the rows before the last one are blank."""
    return not any(source.line(row).strip() for row in range(first, last))


def _changes(branch: ast.If) -> bool:
    """Whether a branch binds a name that its test reads, or does more than reading there."""
    read = {node.id for node in walk(branch.test) if isinstance(node, ast.Name)}
    bound = {n.id for one in branch.body for n in walk(one) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return bool(read & bound) or any(isinstance(node, ast.Call | ast.NamedExpr) for node in walk(branch.test))
