"""Removal of statements from a block of code without loss of comments."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst


def without(block: cst.IndentedBlock, dropped: Callable[[cst.BaseStatement], bool]) -> cst.IndentedBlock:
    """Return a block of code without the statements for which `dropped` is True; their comments stay in place."""
    if not any(map(dropped, block.body)):
        return block
    kept: list[cst.BaseStatement] = []
    carried: list[cst.EmptyLine] = []
    for statement in block.body:
        if dropped(statement):
            carried += _comments(statement)
            continue
        kept.append(_below(carried, statement))
        carried = []
    if not kept:
        kept.append(cst.SimpleStatementLine([cst.Pass()]))
    return block.with_changes(body=kept, footer=[*carried, *block.footer])


def _comments(statement: cst.BaseStatement) -> list[cst.EmptyLine]:
    assert isinstance(statement, cst.SimpleStatementLine)
    above = [line for line in statement.leading_lines if line.comment is not None]
    beside = statement.trailing_whitespace.comment
    return [*above, *([cst.EmptyLine(comment=beside)] if beside is not None else [])]


def _below(lines: list[cst.EmptyLine], statement: cst.BaseStatement) -> cst.BaseStatement:
    above = getattr(statement, "leading_lines", ())
    return statement.with_changes(leading_lines=[*lines, *above]) if lines else statement
