"""The statement that bound a name last where it is read, so that reads of one binding are told apart from others."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from enum import Enum

from hybridlint.analysis.model.events import Frame
from hybridlint.fixers.evidence.bindings import stores_of, targets_of
from hybridlint.text.syntax import walk


class Bound(Enum):
    """What is known of a name that no statement before the read surely bound last."""

    OUTSIDE = "no statement of the function before the read binds it: it is an argument, or comes from around it"
    OPEN = "a round of a loop before, a handler or an inner function may have bound it"


def last_binding(frame: Frame, node: ast.Name) -> ast.stmt | Bound:
    """Return the statement that bound a name last before it is read.

    It may bind it in a branch or a loop only: whatever the name holds behind it, it holds at all reads up to the next
    such statement. The loop itself is returned for the name that its rounds bind alone.
    """
    stores = {id(store) for store in stores_of(frame, node.id)}
    block: Sequence[ast.stmt] = getattr(frame.function or ast.Pass(), "body", [])
    found: ast.stmt | Bound = Bound.OUTSIDE
    while stores:
        place = next((k for k, statement in enumerate(block) if _is_in(node, [statement])), None)
        if place is None:
            return Bound.OPEN
        around = block[place]
        before = [statement for statement in block[:place] if _binds(statement, stores)]
        found = before[-1] if before else found
        inner = next((inside for inside in _blocks(around) if _is_in(node, inside)), None)
        if inner is None:
            # The statement reads the name itself; nothing in it but its targets may bind it.
            own = {id(part) for part in targets_of(around)}
            loose = any(id(n) in stores and id(n) not in own for n in walk(around))
            return Bound.OPEN if loose else found
        if _binds(around, stores):
            found = _bound_around(around, inner, stores, found)
        block = inner
    return found


def _bound_around(
    around: ast.stmt, inner: Sequence[ast.stmt], stores: set[int], found: ast.stmt | Bound
) -> ast.stmt | Bound:
    """Return what bound a name last where a block of a statement begins that binds it somewhere."""
    inside = {id(n) for statement in inner for n in walk(statement)} & stores
    everywhere = {id(n) for n in walk(around)} & stores
    match around:
        case ast.If():
            head = {id(n) for n in walk(around.test)} & stores
            return Bound.OPEN if head else found
        case ast.For(target=target) if inner is around.body:
            own = {id(n) for n in walk(target)} & stores
            return around if own and everywhere == own else Bound.OPEN
        case ast.With():
            return found if everywhere == inside else Bound.OPEN
    return Bound.OPEN


def _blocks(statement: ast.stmt) -> list[Sequence[ast.stmt]]:
    """Return the blocks of a statement."""
    found = [getattr(statement, field, None) for field in ("body", "orelse", "finalbody")]
    handlers = [handler.body for handler in getattr(statement, "handlers", [])]
    cases = [case.body for case in getattr(statement, "cases", [])]
    return [block for block in (*found, *handlers, *cases) if isinstance(block, list)]


def _is_in(node: ast.expr, block: Sequence[ast.stmt]) -> bool:
    """Whether an expression stands in a block, by its place in the text."""
    if not block:
        return False
    first, last = block[0], block[-1]
    start, end = (first.lineno, first.col_offset), (last.end_lineno or last.lineno, last.end_col_offset or 0)
    return start <= (node.lineno, node.col_offset) < end


def _binds(statement: ast.stmt, stores: set[int]) -> bool:
    return any(id(n) in stores for n in walk(statement))
