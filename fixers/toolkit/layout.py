"""Layout: break lines that fixes made too long, in the style of Black."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hybridlint.fixers.toolkit.brackets import (
    STEP,
    held_items,
    open_brackets,
    reopen_brackets,
    split_at_operators,
    with_held_items,
)
from hybridlint.fixers.toolkit.chains import links, split_at_links
from hybridlint.fixers.toolkit.parentheses import level, parenthesize
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text import cst
from hybridlint.text.concrete import code, expression_at
from hybridlint.text.edits import Edit
from hybridlint.text.matching import line_changes
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.fixers.toolkit.brackets import Item


#: From this many links on a chain of calls is split at them, rather than inside its last brackets.
_CHAIN = 2
#: The number of characters by which a fix may lengthen a line that its author let be too long: parentheses, a prefix.
_FEW = 10


@record(frozen=True, slots=True)
class Room:
    """The space for an expression, which begins at `column` of a line that is indented by `indent`.

    `after` is the number of characters that follow it on its last line, `limit` the maximum line length. `inside` says
    that brackets are open around it, `alone` that only a comma may follow it on its last line.
    """

    column: int
    indent: str
    after: int
    inside: bool
    limit: int
    alone: bool = False

    def holds(self, text: str) -> bool:
        """Whether a text fits on one line."""
        return "\n" not in text and self.column + len(text) + self.after <= self.limit


def long_lines(before: SourceFile, after: SourceFile, limit: int) -> list[Edit]:
    """Return edits of `after` that break its lines longer than `limit`, except lines that `before` has too."""
    known = before.text.splitlines()
    lines = after.text.splitlines()
    rows = {row for row, line in enumerate(lines, 1) if len(line) > limit} - _left_long(known, lines, limit)
    if not rows:
        return []
    found = [_widest(statement, row) for statement, row in _statements(after.tree, rows)]
    edits = [_laid_out(after, *place, limit) for place in found if place is not None]
    return [edit for edit in edits if edit is not None]


def _left_long(before: Sequence[str], after: Sequence[str], limit: int) -> set[int]:
    """Return the rows of lines that are as before, or were too long already and hardly grew."""
    known = set(before)
    rows = {row for row, line in enumerate(after, 1) if line in known}
    for _, first, last, begin, end in line_changes(before, after):
        if last - first == end - begin:
            pairs = enumerate(zip(before[first:last], after[begin:end], strict=True), begin + 1)
            rows |= {row for row, (old, new) in pairs if limit < len(old) and len(new) <= len(old) + _FEW}
    return rows


def laid_out(node: cst.BaseExpression, room: Room) -> cst.BaseExpression:
    """Return an expression on one line if it fits into the room, and broken over several lines otherwise."""
    text = code(node)
    if "\n" in text or room.holds(text):
        return node
    if isinstance(node, cst.Tuple) and not node.lpar and not (_spine(node) and _is_short_pair(node)):
        node = parenthesize(node)
    chained = links(node) >= _CHAIN
    if not room.inside and (chained or (_operators(node) and (_operators(node) > 1 or not _spine(node)))):
        return _in_parentheses(node, room)
    if chained and (room.alone or not room.after):
        return split_at_links(node, room.indent, room.limit, lambda call: _opened(call, room))
    if room.inside and (room.alone or not room.after) and (_operators(node) or isinstance(node, cst.GeneratorExp)):
        return split_at_operators(_with_operands(node, room), room.indent)
    return _split_inside(node, room)


def _is_short_pair(node: cst.Tuple) -> bool:
    """Return whether a tuple is a name and something longer, which stay side by side: ``return x, F.concat(...)``."""
    return len(node.elements) == 2 and isinstance(node.elements[0].value, cst.Name | cst.Attribute | cst.BaseNumber)


def _split_inside(node: cst.BaseExpression, room: Room) -> cst.BaseExpression:
    """Return an expression broken inside its last brackets for which there is room, or in parentheses of its own."""
    chosen = _bracket(node, room)
    if chosen is None:
        return node
    if not _operators(node) or _head_fits(node, chosen, room):
        return _replaced(node, chosen, _opened(chosen, room))
    if isinstance(node, cst.BinaryOperation) and (first := _bracket(node.left, room)) is not None:
        return _split_in_both(node, first, room)
    return node if room.inside else _in_parentheses(node, room)


def _split_in_both(node: cst.BinaryOperation, first: cst.BaseExpression, room: Room) -> cst.BaseExpression:
    """Return an operation broken inside the brackets `first` of its left operand, and in the right one if need be."""
    left, between = node.left, len(code(node.operator))
    behind = replace(room, column=len(room.indent) + len(")") + between)
    tail = code(left).partition(code(first))[2]
    right = node.right if behind.holds(tail + code(node.right)) else _split_inside(node.right, behind)
    return node.with_changes(left=_replaced(left, first, _opened(first, room)), right=right)


def _statements(tree: ast.Module, rows: set[int]) -> Iterator[tuple[ast.stmt, int]]:
    """Yield the simple statements that hold the given rows, each with its row."""
    for node in walk(tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            own = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            yield from ((node, row) for row in own if row in rows)


def _widest(statement: ast.stmt, row: int) -> tuple[ast.expr, bool] | None:
    """Return the longest expression that lies on one row as a whole, and whether the row is inside brackets."""
    whole = [n for n in walk(statement) if isinstance(n, ast.expr) and n.lineno == n.end_lineno == row]
    longest = max(whole, key=lambda n: (n.end_col_offset or 0) - n.col_offset, default=None)
    return None if longest is None else (longest, statement.lineno < row)


def _laid_out(source: SourceFile, node: ast.expr, inside: bool, limit: int) -> Edit | None:
    span, line = source.span(node), source.line(node.lineno)
    start = source.line_starts[node.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    alone = inside and line[span.end - start :] == "," and not line[: span.start - start].strip()
    room = Room(span.start - start, indent, len(line) - (span.end - start), inside, limit, alone)
    old = expression_at(source, node, bare=True)
    new = laid_out(old, room)
    return None if new is old else Edit(span, code(new))


def _operators(node: cst.BaseExpression) -> int:
    """Return the number of operators of the lowest precedence in an expression, outside parentheses."""
    if node.lpar:
        return 0
    match node:
        case cst.BinaryOperation() | cst.BooleanOperation():
            left = node.left
            chained = type(left) is type(node) and not left.lpar and level(left) == level(node)
            return 1 + (_operators(left) if chained else 0)
        case cst.Comparison(comparisons=parts):
            return len(parts)
        case cst.IfExp():
            return 2
    return 0


def _spine(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """Return the bracketed parts at the end of an expression, last first. For ``f(a)(b)``: the call of b, then of a.

    An operand in parentheses is one of them.
    """
    if held_items(node):
        return [node, *(_spine(node.func) if isinstance(node, cst.Call) else [])]
    if isinstance(node, cst.ListComp | cst.SetComp):
        return [node]
    if node.lpar:
        return [node]
    last = _last(node)
    return [] if last is None else _spine(last)


def _last(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Return the last operand of an expression, or what it calls, subscripts or reads an attribute of; else None."""
    match node:
        case cst.Tuple(elements=[*_, cst.Element(value=inner)]):
            return inner
        case cst.Call(func=inner) | cst.Attribute(value=inner) | cst.Subscript(value=inner, slice=[_]):
            return inner
        case cst.UnaryOperation(expression=inner):
            return inner
        case cst.BinaryOperation(right=inner) | cst.BooleanOperation(right=inner):
            return inner
        case cst.Comparison(comparisons=[*_, cst.ComparisonTarget(comparator=inner)]):
            return inner
    return None


def _bracket(node: cst.BaseExpression, room: Room) -> cst.BaseExpression | None:
    """Return the last bracketed part for which all code up to its opening bracket fits on the first line.

    If none fits, the last of all; None without such a part.
    """
    parts = _spine(node)
    return next((part for part in parts if _head_fits(node, part, room)), parts[0] if parts else None)


def _head_fits(node: cst.BaseExpression, part: cst.BaseExpression, room: Room) -> bool:
    """Return whether an expression's code up to the opening bracket of one of its parts fits on the first line."""
    items = held_items(part)
    head = code(node).rindex(code(part)) + (len(code(part).partition(code(items[0]))[0]) if items else 1)
    return room.column + head <= room.limit


def _opened(node: cst.BaseExpression, room: Room) -> cst.BaseExpression:
    items = held_items(node)
    inner = Room(len(room.indent) + len(STEP), room.indent + STEP, 0, True, room.limit)
    if node.lpar and not items:
        content = laid_out(node.with_changes(lpar=[], rpar=[]), inner)
        return reopen_brackets(content.with_changes(lpar=node.lpar, rpar=node.rpar), room.indent)
    if isinstance(node, cst.ListComp | cst.SetComp):
        within = code(node)[1:-1].strip()
        return open_brackets(node if inner.holds(within) else split_at_operators(node, inner.indent), room.indent)
    if inner.holds(", ".join(code(item.with_changes(comma=cst.MaybeSentinel.DEFAULT)) for item in items)):
        return open_brackets(node, room.indent, one_line=True)
    if len(items) == 1:
        return open_brackets(with_held_items(node, [_item(items[0], inner)]), room.indent, one_line=True)
    with_comma = replace(inner, after=1, alone=True)
    return open_brackets(with_held_items(node, [_item(item, with_comma) for item in items]), room.indent)


def _item(item: Item, room: Room) -> Item:
    """Return an argument or element laid out for a line of its own."""
    value = getattr(item, "value", None)
    if not isinstance(value, cst.BaseExpression):
        return item
    before = code(item.with_changes(comma=cst.MaybeSentinel.DEFAULT)).rindex(code(value))
    return item.with_changes(value=laid_out(value, replace(room, column=room.column + before)))


def _in_parentheses(node: cst.BaseExpression, room: Room) -> cst.BaseExpression:
    inner = Room(len(room.indent) + len(STEP), room.indent + STEP, 0, True, room.limit)
    return open_brackets(laid_out(node, inner), room.indent, wrap=True)


def _with_operands(node: cst.BaseExpression, room: Room) -> cst.BaseExpression:
    """Return an operator expression, one operand a line, with each operand laid out for the space it has.

    The operator stands at the start of the line; its right operand begins after it.
    """
    if not isinstance(node, cst.BinaryOperation | cst.BooleanOperation):
        return node
    first = replace(room, after=0, alone=False)
    chained = type(node.left) is type(node) and not node.left.lpar and level(node.left) == level(node)
    left = _with_operands(node.left, first) if chained else laid_out(node.left, first)
    column = len(room.indent) + len(code(node.operator).strip()) + 1
    return node.with_changes(left=left, right=laid_out(node.right, replace(room, column=column)))


def _replaced(node: cst.BaseExpression, old: cst.BaseExpression, new: cst.BaseExpression) -> cst.BaseExpression:
    replaced = new if node is old else node.deep_replace(old, new)
    assert isinstance(replaced, cst.BaseExpression)
    return replaced
