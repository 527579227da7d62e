"""Concrete syntax: nodes of libcst for parts of a file, parsed from the part's own text with its blanks and comments.

Files are analyzed as `ast`. A fix needs a handful of expressions, each of which is parsed by itself in a third of a
millisecond; no module is parsed, and no positions are computed.
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
from hybridlint.text.source import SourceFile, Span
from hybridlint.text.syntax import expression as ast_expression

#: The nodes that were taken from files lately, by their ids, and where they stand. Nodes of libcst take no attributes
#: and no weak references.
_ORIGINS: dict[int, tuple[cst.CSTNode, Span]] = {}
_MOST_ORIGINS = 4096

#: Blanks and comments, and what an expression that is called ends with.
_GAP = re.compile(r"(?:\s|#[^\n]*)*")
_WORD = re.compile(r"(\w+)\s*$")
_ENDS = frozenset(")]}\"'")

#: The first block of a file, whose indentation new blocks get.
_FIRST_BLOCK = re.compile(r":[ \t]*(?:#[^\n]*)?\r?\n(?:[ \t]*\r?\n)*([ \t]+)\S")

NodeT = TypeVar("NodeT", bound="cst.CSTNode")
if TYPE_CHECKING:
    Line: TypeAlias = cst.ParenthesizedWhitespace | cst.EmptyLine

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


def key_at(source: SourceFile, node: ast.expr) -> cst.BaseSlice:
    """Return the concrete key of a subscript: an expression, or a slice."""
    if not isinstance(node, ast.Slice):
        return cst.Index(expression_at(source, node))
    bounds = [part for part in (node.lower, node.upper, node.step) if part is not None]
    text = source.code(node) if all(is_placed(source, part) for part in bounds) else ast.unparse(node)
    whole = _parsed(f"x[{text}]")
    assert isinstance(whole, cst.Subscript)
    return whole.slice[0].slice


def statement_at(source: SourceFile, node: ast.stmt) -> cst.BaseStatement | cst.BaseSmallStatement:
    """Return the concrete statement of a node: one small statement of its line, or a compound one with its body.

    A compound one takes the indentation of the block that it is put into.
    """
    if hasattr(node, "body") or hasattr(node, "cases"):
        return statements_at(source, [node])[0]
    line = cst.parse_statement(source.code(node))
    assert isinstance(line, cst.SimpleStatementLine)
    return absolute(line.body[0]) if node.end_lineno != node.lineno else line.body[0]


def statements_at(source: SourceFile, nodes: Sequence[ast.stmt]) -> list[cst.BaseStatement]:
    """Return consecutive statements with what stands between them, for any block that they are put into.

    They have their lines to themselves. A comment behind the last one is not theirs.
    """
    start = source.line_starts[first_row(nodes[0]) - 1]
    return block_of(source, source.text[start : source.span(nodes[-1]).end])


def block_of(source: SourceFile, text: str) -> list[cst.BaseStatement]:
    """Return the statements of a text that stands in a block of a file. Raises libcst.ParserSyntaxError."""
    configuration = cst.PartialParserConfig(default_indent=step_of(source))
    if not text[:1].isspace():
        return list(cst.parse_module(text, configuration).body)
    whole = cst.parse_module(f"if block:\n{text}\n", configuration).body[0]
    assert isinstance(whole, cst.If)
    return [statement for statement in whole.body.body if isinstance(statement, cst.BaseStatement)]


def block_code(source: SourceFile, statements: Sequence[cst.BaseStatement], indent: str) -> str:
    """Return the text of statements in a block with an indentation, without the end of the last line."""
    step = step_of(source)
    if not indent:
        whole = cst.Module([*statements], default_indent=step).code  # type: ignore[list-item]
        return whole.removesuffix("\n")
    block = cst.IndentedBlock(statements, indent=indent)
    return cst.Module([cst.If(cst.Name("x"), block)], default_indent=step).code.partition("\n")[2].removesuffix("\n")


def first_row(node: ast.stmt) -> int:
    """Return the row on which a statement begins, with its decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(part.lineno for part in decorators)])


def step_of(source: SourceFile) -> str:
    """Return how far a file indents its blocks."""
    return _step(source.text)


@lru_cache(maxsize=4)
def _step(text: str) -> str:
    found = _FIRST_BLOCK.search(text)
    return "    " if found is None else found.group(1)


def absolute(node: NodeT) -> NodeT:
    """Return a node whose lines stay indented as they are, whatever block it is put into."""
    return _with_lines(node, lambda line: line.with_changes(indent=False))


def relative(node: NodeT, indent: str) -> NodeT:
    """Return a node of a block with an indentation whose lines move with the block that it is put into."""
    return _with_lines(node, partial(_relative_line, indent=indent))


def _relative_line(line: Line, indent: str) -> Line:
    field = "last_line" if isinstance(line, cst.ParenthesizedWhitespace) else "whitespace"
    blanks = getattr(line, field).value
    if line.indent or not blanks.startswith(indent):
        return line
    return line.with_changes(**{"indent": True, field: cst.SimpleWhitespace(blanks.removeprefix(indent))})


def _with_lines(node: NodeT, change: Callable[[Line], Line]) -> NodeT:
    """Return a node with changed beginnings of the lines in its brackets."""
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
    bare = whole.with_changes(lpar=whole.lpar[1:], rpar=whole.rpar[:-1])
    return absolute(bare) if "\n" in text else bare


def _read(node: ast.expr) -> ast.AST:
    """Return the node as it reads where it is not the target of a store."""
    if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        return ast.parse(ast.unparse(node), mode="eval").body
    return node
