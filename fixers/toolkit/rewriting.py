"""Fixes that replace a node of the file by a libcst node, with parentheses and comments."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.toolkit.comments import Comment, carry_comments, dropped_comments, origins
from hybridlint.fixers.toolkit.parentheses import level, parenthesize
from hybridlint.fixers.toolkit.places import ExpressionPlace, indentation, place_of
from hybridlint.fixers.toolkit.templates import expression_in, place
from hybridlint.runtime.facts.records import replace as changed
from hybridlint.text import cst
from hybridlint.text.concrete import absolute, code, expression_at, is_placed
from hybridlint.text.edits import REPLACE, Applicability, Edit, Fix, ImportEdit, apply_edits
from hybridlint.text.line_endings import with_newlines
from hybridlint.text.shortening import shorten_code
from hybridlint.text.source import Span
from hybridlint.text.syntax import expression as ast_expression

#: Characters of new code in a message.
_LONGEST = 80


def rewrite(
    frame: CodeContext,
    node: ast.expr | ast.stmt,
    new: cst.BaseExpression | cst.BaseSmallStatement,
    applicability: Applicability,
    *,
    message: str | None = None,
    imports: tuple[ImportEdit, ...] = (),
) -> Fix | None:
    """Replace a node of the file by a libcst node.

    An expression gets the parentheses that it needs there, and loses those that it no longer needs. Comments of dropped
    code are kept. `imports` are those that the new node needs. None if nothing changes, or inside an f-string, where
    positions are unknown.
    """
    message = message or f"{REPLACE} `{shorten_code(code(new), _LONGEST)}`"
    if isinstance(new, cst.BaseExpression):
        assert isinstance(node, ast.expr)
        fix = _expression(frame, node, new, applicability, message)
    else:
        assert isinstance(node, ast.stmt)
        fix = _statement(frame, node, new, applicability, message)
    return None if fix is None else changed(fix, imports=imports)


def concrete_with(
    frame: CodeContext, outer: ast.expr, parts: Mapping[ast.expr, cst.BaseExpression]
) -> cst.BaseExpression:
    """Return the libcst expression of a node with the nodes in `parts` replaced."""
    source = frame.source
    ordered = sorted(parts, key=lambda part: (part.lineno, part.col_offset))
    names = {part: place(f"part{number}") for number, part in enumerate(ordered)}
    filling = {f"part{number}": parts[part] for number, part in enumerate(ordered)}
    if not is_placed(source, outer):
        return expression_in(ast.unparse(_named(outer, names)), filling)
    text, start = source.code(outer), source.span(outer).start
    for part in reversed(ordered):
        span = source.span(part)
        text = text[: span.start - start] + names[part] + text[span.end - start :]
    return absolute(expression_in(text, filling)) if "\n" in text else expression_in(text, filling)


def _named(node: ast.AST, names: Mapping[ast.expr, str]) -> ast.AST:
    """Return a copy of a tree in which the given nodes are replaced by names."""
    if isinstance(node, ast.expr) and node in names:
        return ast.Name(names[node])
    fields = {name: _named_in(value, names) for name, value in ast.iter_fields(node)}
    return type(node)(**fields)


def _named_in(value: Any, names: Mapping[ast.expr, str]) -> Any:
    if isinstance(value, list):
        return [_named_in(item, names) for item in value]
    return _named(value, names) if isinstance(value, ast.AST) else value


def edited_expression(frame: CodeContext, node: ast.expr, edits: Iterable[Edit]) -> cst.BaseExpression:
    """Return the libcst expression of a node, after applying the edits that lie inside it."""
    span = frame.source.span(node)
    inside = [edit for edit in edits if span.contains(edit.span)]
    moved = [changed(e, span=Span(e.span.start - span.start, e.span.end - span.start)) for e in inside]
    return expression_in(apply_edits(frame.source.code(node), moved), {}) if moved else frame.concrete(node)


def safe_if(*conditions: bool) -> Applicability:
    """Return SAFE where all conditions hold, UNSAFE otherwise."""
    return Applicability.SAFE if all(conditions) else Applicability.UNSAFE


def together(fix: Fix, *others: Fix) -> Fix:
    """Return one fix with the edits and the imports of several."""
    imports = tuple(sorted({each for part in (fix, *others) for each in part.imports}))
    return changed(fix, edits=(*fix.edits, *(edit for other in others for edit in other.edits)), imports=imports)


def _expression(
    frame: CodeContext, node: ast.expr, new: cst.BaseExpression, applicability: Applicability, message: str
) -> Fix | None:
    if not is_placed(frame.source, node):
        return None
    where = place_of(frame, node)
    text, span = frame.source.text, where.span
    if where.parenthesized is not None and where.parenthesized in origins(new):
        # The new expression contains the node with its parentheses, so the edit replaces these too.
        span = where.parenthesized
        where = changed(where, span=span, parenthesized=None, inside=False)
    old = text[span.start : span.end]
    if where.parenthesized is None:
        new = parenthesize(new) if level(new) < where.level or _breaks(new, where) else new
    elif _frees(frame, node, new, where):
        span = where.parenthesized
    lost = [Comment(span.start + c.start, c.text) for c in dropped_comments(text[span.start : span.end], code(new))]
    if lost:
        bare = new
        new, pair = carry_comments(bare, lost, indentation(frame, span.start)), where.parenthesized
        if new.lpar and pair is not None and "#" not in _around(frame, node, pair):
            # With comments, it got parentheses of its own, which replace the old ones.
            span, new = pair, carry_comments(bare, lost, indentation(frame, pair.start))
    content = code(new)
    if content == old:
        return None
    return Fix(message, (Edit(span, content),), applicability)


def _breaks(new: cst.BaseExpression, where: ExpressionPlace) -> bool:
    """Whether an expression has a line break outside brackets, where Python would end the statement."""
    text = code(new)
    if where.inside or "\n" not in text:
        return False
    try:
        ast_expression(text)
    except SyntaxError:
        return True
    return False


def _frees(frame: CodeContext, node: ast.expr, new: cst.BaseExpression, where: ExpressionPlace) -> bool:
    """Whether the parentheses around a node were needed, and are not needed around its replacement."""
    assert where.parenthesized is not None
    old = expression_at(frame.source, node, bare=True)
    needed = level(old) < where.level <= level(new)
    # Parentheses that held the lines of an operation together are no use around a call, which has brackets to break in.
    needed = needed or (isinstance(new, cst.Call) and _breaks(old, changed(where, inside=False)))
    return (
        needed
        and "#" not in _around(frame, node, where.parenthesized)
        and not _breaks(new, changed(where, inside=False))
    )


def _around(frame: CodeContext, node: ast.expr, pair: Span) -> str:
    """Return the text between a node and the parentheses around it."""
    return frame.source.text[pair.start : pair.end].replace(frame.source.code(node), "", 1)


def _statement(
    frame: CodeContext, node: ast.stmt, new: cst.BaseSmallStatement, applicability: Applicability, message: str
) -> Fix | None:
    source = frame.source
    span, content = source.span(node), code(new)
    lost = dropped_comments(source.text[span.start : span.end], content)
    indent = indentation(frame, span.start)
    if lost and with_newlines(source.text[: span.start]).rpartition("\n")[2].strip():
        # Other code precedes it on its line.
        return None
    above = "".join(f"{comment.text}\n{indent}" for comment in lost)
    if content == source.text[span.start : span.end]:
        return None
    return Fix(message, (Edit(span, above + content),), applicability)
