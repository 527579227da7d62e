"""Text of rewrites: sub-expressions reused as they stand, and replacements that lose no comment."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable

from hybridlint.analysis.model.events import Frame
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Edit, Fix
from hybridlint.text.source import Span
from hybridlint.text.syntax import expression

_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp)


def argument(frame: Frame, node: ast.expr) -> str:
    """Return the text of an expression as it can stand among the arguments of a call."""
    text = frame.source.code(node)
    bare = isinstance(node, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await | ast.Starred)
    bare |= isinstance(node, ast.Tuple | ast.GeneratorExp) and not _parses_alike(text, node)
    return f"({text})" if bare else text


def operand(frame: Frame, node: ast.expr) -> str:
    """Return the text of an expression as it can stand before a dot or beside any operator."""
    text = frame.source.code(node)
    if isinstance(node, _ATOMS) or (
        isinstance(node, ast.Constant) and not isinstance(node.value, int | float | complex)
    ):
        return text
    if isinstance(node, ast.Tuple) and _parses_alike(text, node):
        return text
    return f"({text})"


def factor(frame: Frame, node: ast.expr) -> str:
    """Return the text of an expression as it can stand beside any binary operator."""
    return frame.source.code(node) if isinstance(node, ast.Constant) else operand(frame, node)


def safe_if(*conditions: bool) -> Applicability:
    """Return SAFE where all conditions hold, UNSAFE otherwise."""
    return Applicability.SAFE if all(conditions) else Applicability.UNSAFE


def replace(
    frame: Frame,
    node: ast.expr | ast.stmt,
    content: str | cst.BaseExpression | cst.BaseSmallStatement,
    applicability: Applicability,
    *,
    kept: Iterable[ast.AST] = (),
    message: str | None = None,
) -> Fix | None:
    """Replace a node by a concrete one, or by a text.

    `kept` are the parts whose text stands again in the text. Returns None where a comment outside of them would be
    lost, or where the node's position cannot be trusted (inside an f-string).
    """
    if not isinstance(content, str):
        return rewrite(frame, node, content, applicability, message=message)
    span = frame.source.span(node)
    text = frame.source.text[span.start : span.end]
    if not _parses_alike(text, node) or content == text:
        return None
    if lost_comments(frame, span, [frame.source.span(part) for part in kept]):
        return None
    return Fix(message or f"Replace with `{_short(content)}`", (Edit(span, content),), applicability)


def lost_comments(frame: Frame, span: Span, kept: Iterable[Span]) -> bool:
    """Whether a comment lies in `span` but in none of the spans that are kept."""
    text = frame.source.text
    if "#" not in text[span.start : span.end]:
        return False
    return any(not any(k.contains(c) for k in kept) for c in _comments(text, span))


def line_of(frame: Frame, node: ast.stmt) -> Span:
    """Return the span of the lines that a statement stands on, with the end of the last one."""
    starts = frame.source.line_starts
    last = node.end_lineno or node.lineno
    return Span(starts[node.lineno - 1], starts[last] if last < len(starts) else len(frame.source.text))


def _parses_alike(text: str, node: ast.AST) -> bool:
    try:
        if isinstance(node, ast.expr):
            return ast.dump(expression(f"({text}\n)")) == ast.dump(_loaded(node))
        return True
    except (SyntaxError, ValueError):
        return False


def _loaded(node: ast.expr) -> ast.AST:
    """Return the node as it reads when it is not the target of a store."""
    if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        return ast.parse(ast.unparse(node), mode="eval").body
    return node


def _comments(text: str, span: Span) -> list[Span]:
    """Return the comments that lie in a span, which starts and ends between tokens."""
    part = f"({text[span.start : span.end]}\n"  # the parenthesis makes the tokenizer ignore indentation
    starts = [0]
    for line in part.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: list[Span] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(part).readline):
            if token.type == tokenize.COMMENT:
                at = span.start - 1 + starts[token.start[0] - 1] + token.start[1]
                found.append(Span(at, at + len(token.string)))
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 80 else flat[:77] + "..."
