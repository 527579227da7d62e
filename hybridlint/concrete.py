"""Concrete syntax: nodes of libcst for parts of a file, parsed from the part's own text with its blanks and comments.

Files are analyzed as `ast`. A fix needs a handful of expressions, each of which is parsed by itself in a third of a
millisecond; no module is parsed, and no positions are computed.
"""

from __future__ import annotations

import ast
import keyword
import re
import textwrap
from functools import lru_cache

from hybridlint import cst
from hybridlint.source import SourceFile, Span
from hybridlint.syntax import expression as ast_expression

#: The nodes that were taken from files lately, by their ids, and where they stand. Nodes of libcst take no attributes
#: and no weak references.
_ORIGINS: dict[int, tuple[cst.CSTNode, Span]] = {}
_MOST_ORIGINS = 4096

#: Blanks and comments, and what an expression that is called ends with.
_GAP = re.compile(r"(?:\s|#[^\n]*)*")
_WORD = re.compile(r"(\w+)\s*$")
_ENDS = frozenset(")]}\"'")

_FORMATTED_STRING = re.compile(r"""(?:\b[fF][rR]?|\b[rR][fF])["']""")


def expression_at(source: SourceFile, node: ast.expr, *, bare: bool = False) -> cst.BaseExpression:
    """Return the concrete expression of a node, with the parentheses around it where they go over several lines.

    These are left out where it is asked for `bare`, and otherwise by templates whose place needs none.
    Before Python 3.12 nothing tells where a node inside of an f-string stands: there its text is written anew.
    """
    if not is_placed(source, node):
        return _parsed(ast.unparse(node))
    span = source.span(node)
    pair = None if bare else parentheses_around(source, node)
    if pair is not None and "\n" in source.text[pair.start : pair.end]:
        span = pair
    return with_origin(_parsed(source.text[span.start : span.end]).with_changes(), span)


def argument_at(source: SourceFile, node: ast.expr | ast.keyword) -> cst.Arg:
    """Return the concrete argument of a call: ``x``, ``*x``, ``key=x`` or ``**x``."""
    if isinstance(node, ast.Starred):
        return cst.Arg(expression_at(source, node.value), star="*")
    if isinstance(node, ast.keyword):
        value = expression_at(source, node.value)
        if node.arg is None:
            return cst.Arg(value, star="**")
        plain = cst.SimpleWhitespace("")
        return cst.Arg(value, cst.Name(node.arg), cst.AssignEqual(plain, plain))
    return cst.Arg(expression_at(source, node))


def statement_at(source: SourceFile, node: ast.stmt) -> cst.BaseStatement | cst.BaseSmallStatement:
    """Return the concrete statement of a node: one small statement of its line, or a compound one with its body."""
    text = source.code(node)
    if not isinstance(node, ast.stmt) or not hasattr(node, "body"):
        line = cst.parse_statement(text)
        assert isinstance(line, cst.SimpleStatementLine)
        return line.body[0]
    return cst.parse_statement(textwrap.dedent(" " * node.col_offset + text))


def is_placed(source: SourceFile, node: ast.expr) -> bool:
    """Whether a node stands where its position says, which is not told of what is inside of f-strings."""
    if not _has_formatted_strings(source.text):
        return True
    try:
        return ast.dump(ast_expression(f"({source.code(node)}\n)")) == ast.dump(_read(node))
    except (SyntaxError, ValueError):
        return False


def origin(node: cst.CSTNode) -> Span | None:
    """Return where a node stands in the file that it was taken from; None for nodes that were made."""
    found = _ORIGINS.get(id(node))
    return None if found is None else found[1]


def with_origin(node: cst.BaseExpression, span: Span | None) -> cst.BaseExpression:
    """Note where a node was taken from, and return it."""
    if len(_ORIGINS) >= _MOST_ORIGINS:
        _ORIGINS.clear()
    if span is not None:
        _ORIGINS[id(node)] = node, span
    return node


def parentheses_around(source: SourceFile, node: ast.expr) -> Span | None:
    """Return the span of the innermost parentheses around an expression: neither those of a call, nor its own."""
    if isinstance(node, ast.Tuple | ast.GeneratorExp):
        # Whether they are its own is not told.
        return None
    text, span = source.text, source.span(node)
    start, gap = _before(text, span.start), _GAP.match(text, span.end)
    after = span.end if gap is None else gap.end()
    if text[start : start + 1] != "(" or text[after : after + 1] != ")":
        return None
    end = _before(text, start)
    word = _WORD.search(text, max(0, end - 40), end + 1)
    called = not keyword.iskeyword(word.group(1)) if word is not None else text[end : end + 1] in _ENDS
    return None if called else Span(start, after + 1)


def _before(text: str, offset: int) -> int:
    """Return where the last character before an offset is that is no blank."""
    offset -= 1
    while offset > 0 and text[offset].isspace():
        offset -= 1
    return offset


def code(node: cst.CSTNode) -> str:
    """Return the text of a concrete node."""
    return cst.Module([]).code_for_node(node)


@lru_cache(maxsize=4)
def _has_formatted_strings(text: str) -> bool:
    return _FORMATTED_STRING.search(text) is not None


@lru_cache(maxsize=2048)
def _parsed(text: str) -> cst.BaseExpression:
    """Return the concrete expression of a text. Fixing analyzes a file several times, and asks for the same again."""
    whole = cst.parse_expression(f"({text}\n)")
    return whole.with_changes(lpar=whole.lpar[1:], rpar=whole.rpar[:-1])


def _read(node: ast.expr) -> ast.AST:
    """Return the node as it reads where it is not the target of a store."""
    if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        return ast.parse(ast.unparse(node), mode="eval").body
    return node
