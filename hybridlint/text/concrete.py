"""Concrete syntax: libcst nodes for parts of a file, parsed from their own text with whitespace and comments.

Files are analyzed with `ast`. A fix needs only a few expressions. Each is parsed on its own in about 0.3 ms, so that
libcst never parses the whole module or computes positions.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import lru_cache, partial
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

from hybridlint.text import cst
from hybridlint.text.line_endings import with_newlines
from hybridlint.text.source import SourceFile, Span
from hybridlint.text.syntax import expression as ast_expression

#: Nodes recently taken from files, keyed by id, with their spans. A dictionary by id is needed because libcst nodes
#: accept neither extra attributes nor weak references.
_ORIGINS: dict[int, tuple[cst.CSTNode, Span]] = {}
_MOST_ORIGINS = 4096

#: Whitespace and comments; the word before a parenthesis; the last characters of an expression that can be called.
_BLANK = re.compile(r"(?:\s|#[^\r\n]*)*")
_WORD = re.compile(r"(\w+)\s*$")
_ENDS = frozenset(")]}\"'")

#: The first indented block of a file. New blocks use its indentation.
_FIRST_BLOCK = re.compile(r":[ \t]*(?:#[^\r\n]*)?(?:\r\n?|\n)(?:[ \t]*(?:\r\n?|\n))*([ \t]+)\S")

NodeT = TypeVar("NodeT", bound="cst.CSTNode")
if TYPE_CHECKING:
    Line: TypeAlias = cst.ParenthesizedWhitespace | cst.EmptyLine

_FORMATTED_STRING = re.compile(r"""(?:\b[fF][rR]?|\b[rR][fF])["']""")


def expression_at(source: SourceFile, node: ast.expr, *, bare: bool = False) -> cst.BaseExpression:
    """Return the libcst expression for an ast node.

    Enclosing parentheses are kept if they span several lines, unless `bare` is true. Templates that put the expression
    where it needs no parentheses drop them.
    Before Python 3.12, ast gives no correct positions inside f-strings. Such a node is unparsed from the tree instead.
    """
    if not is_placed(source, node):
        return _parsed(ast.unparse(node))
    span = source.span(node)
    pair = None if bare else parentheses_around(source, node)
    if pair is not None and "\n" in with_newlines(source.text[pair.start : pair.end]):
        span = pair
    return with_origin(_parsed(with_newlines(source.text[span.start : span.end])).with_changes(), span)


def argument_at(source: SourceFile, node: ast.expr | ast.keyword) -> cst.Arg:
    """Return the libcst argument of a call: ``x``, ``*x``, ``key=x`` or ``**x``."""
    if isinstance(node, ast.Starred):
        return cst.Arg(expression_at(source, node.value), star="*")
    if isinstance(node, ast.keyword):
        value = expression_at(source, node.value)
        if node.arg is None:
            return cst.Arg(value, star="**")
        plain = cst.SimpleWhitespace("")
        return cst.Arg(value, cst.Name(node.arg), cst.AssignEqual(plain, plain))
    return cst.Arg(expression_at(source, node))


def key_at(source: SourceFile, node: ast.expr) -> cst.BaseSlice:
    """Return the libcst key of a subscript: an index or a slice."""
    if not isinstance(node, ast.Slice):
        return cst.Index(expression_at(source, node))
    bounds = [part for part in (node.lower, node.upper, node.step) if part is not None]
    text = with_newlines(source.code(node)) if all(is_placed(source, part) for part in bounds) else ast.unparse(node)
    whole = _parsed(f"x[{text}]")
    assert isinstance(whole, cst.Subscript)
    return whole.slice[0].slice


def statement_at(source: SourceFile, node: ast.stmt) -> cst.BaseStatement | cst.BaseSmallStatement:
    """Return the libcst statement for an ast node: a small statement without its line, or a compound one.

    A compound statement takes the indentation of the block it is inserted into.
    """
    if hasattr(node, "body") or hasattr(node, "cases"):
        return statements_at(source, [node])[0]
    line = cst.parse_statement(with_newlines(source.code(node)))
    assert isinstance(line, cst.SimpleStatementLine)
    return absolute(line.body[0]) if node.end_lineno != node.lineno else line.body[0]


def statements_at(source: SourceFile, nodes: Sequence[ast.stmt]) -> list[cst.BaseStatement]:
    """Return consecutive statements, and the text between them, so that they can be inserted into any block.

    The statements must not share lines with others. A comment after the last statement is not included.
    """
    start = source.line_starts[first_row(nodes[0]) - 1]
    return block_of(source, source.text[start : source.span(nodes[-1]).end])


def block_of(source: SourceFile, text: str) -> list[cst.BaseStatement]:
    """Parse the text of statements taken from a block of a file. Raises libcst.ParserSyntaxError."""
    text = with_newlines(text)
    configuration = cst.PartialParserConfig(default_indent=step_of(source))
    if not text[:1].isspace():
        return list(cst.parse_module(text, configuration).body)
    whole = cst.parse_module(f"if block:\n{text}\n", configuration).body[0]
    assert isinstance(whole, cst.If)
    return [statement for statement in whole.body.body if isinstance(statement, cst.BaseStatement)]


def block_code(source: SourceFile, statements: Sequence[cst.BaseStatement], indent: str) -> str:
    """Return the source of statements in a block indented by `indent`, without the final newline."""
    step = step_of(source)
    if not indent:
        whole = cst.Module([*statements], default_indent=step).code  # type: ignore[list-item]
        return whole.removesuffix("\n")
    block = cst.IndentedBlock(statements, indent=indent)
    return cst.Module([cst.If(cst.Name("x"), block)], default_indent=step).code.partition("\n")[2].removesuffix("\n")


def first_row(node: ast.stmt) -> int:
    """Return the first row of a statement, counting its decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(part.lineno for part in decorators)])


def step_of(source: SourceFile) -> str:
    """Return the indentation step of a file, such as four spaces."""
    return _step(source.text)


@lru_cache(maxsize=4)
def _step(text: str) -> str:
    found = _FIRST_BLOCK.search(text)
    return "    " if found is None else found.group(1)


def absolute(node: NodeT) -> NodeT:
    """Return a copy of the node whose continuation lines keep their indentation wherever the node is put."""
    return _with_lines(node, lambda line: line.with_changes(indent=False))


def relative(node: NodeT, indent: str) -> NodeT:
    """Return a copy of a node from a block indented by `indent`; its lines adapt to their new block."""
    return _with_lines(node, partial(_relative_line, indent=indent))


def _relative_line(line: Line, indent: str) -> Line:
    field = "last_line" if isinstance(line, cst.ParenthesizedWhitespace) else "whitespace"
    blanks = getattr(line, field).value
    if line.indent or not blanks.startswith(indent):
        return line
    return line.with_changes(**{"indent": True, field: cst.SimpleWhitespace(blanks.removeprefix(indent))})


def _with_lines(node: NodeT, change: Callable[[Line], Line]) -> NodeT:
    """Return a copy of the node with `change` applied to the start of each line inside its brackets."""
    changes: dict[str, object] = {}
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, cst.CSTNode):
            changes[field.name] = _with_lines(value, change)
        elif isinstance(value, list | tuple):
            changes[field.name] = [_with_lines(v, change) if isinstance(v, cst.CSTNode) else v for v in value]
    changed = node.with_changes(**changes)
    if isinstance(changed, cst.ParenthesizedWhitespace | cst.EmptyLine):
        return cast("NodeT", change(changed))
    return changed


def is_placed(source: SourceFile, node: ast.expr) -> bool:
    """Whether the position of a node is correct; it may be wrong for nodes inside f-strings."""
    if not _has_formatted_strings(source.text):
        return True
    try:
        return ast.dump(ast_expression(f"({source.code(node)}\n)")) == ast.dump(_read(node))
    except (SyntaxError, ValueError):
        return False


def origin(node: cst.CSTNode) -> Span | None:
    """Return the span of the file that a node was taken from, or None for a constructed node."""
    found = _ORIGINS.get(id(node))
    return None if found is None else found[1]


def with_origin(node: cst.BaseExpression, span: Span | None) -> cst.BaseExpression:
    """Record the span of the file that a node was taken from, and return the node."""
    if len(_ORIGINS) >= _MOST_ORIGINS:
        _ORIGINS.clear()
    if span is not None:
        _ORIGINS[id(node)] = node, span
    return node


def parentheses_around(source: SourceFile, node: ast.expr) -> Span | None:
    """Return the span of the innermost grouping parentheses around an expression, or None.

    The parentheses of a call, and those of the node's own syntax, do not count.
    """
    if isinstance(node, ast.Tuple | ast.GeneratorExp):
        # The positions do not tell whether the parentheses belong to the node itself.
        return None
    text, span = source.text, source.span(node)
    start, blank = _before(text, span.start), _BLANK.match(text, span.end)
    after = span.end if blank is None else blank.end()
    if text[start : start + 1] != "(" or text[after : after + 1] != ")":
        return None
    end = _before(text, start)
    word = _WORD.search(text, max(0, end - 40), end + 1)
    called = not keyword.iskeyword(word.group(1)) if word is not None else text[end : end + 1] in _ENDS
    return None if called else Span(start, after + 1)


def _before(text: str, offset: int) -> int:
    """Return the offset of the last non-blank character before an offset."""
    offset -= 1
    while offset > 0 and text[offset].isspace():
        offset -= 1
    return offset


def code(node: cst.CSTNode) -> str:
    """Return the source text of a libcst node."""
    return cst.Module([]).code_for_node(node)


@lru_cache(maxsize=4)
def _has_formatted_strings(text: str) -> bool:
    return _FORMATTED_STRING.search(text) is not None


@lru_cache(maxsize=2048)
def _parsed(text: str) -> cst.BaseExpression:
    """Parse an expression. Cached, because fixing analyzes a file several times and asks for the same expressions."""
    whole = cst.parse_expression(f"({text}\n)")
    bare = whole.with_changes(lpar=whole.lpar[1:], rpar=whole.rpar[:-1])
    return absolute(bare) if "\n" in text else bare


def _read(node: ast.expr) -> ast.AST:
    """Return the node as an expression that is read: ``x`` in ``x = 1`` as a load of ``x``."""
    if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        return ast.parse(ast.unparse(node), mode="eval").body
    return node
