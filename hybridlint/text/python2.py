"""Parser for Python 2 source: statements are respelled for Python 3 while all positions are kept.

The text is rewritten token by token. What Python 3 also accepts is left alone, and what is still unreadable afterwards
is not Python at all. Positions in the resulting tree refer to the original file.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from hybridlint.runtime.facts.records import record

_TOKEN = re.compile(
    r"""
    (?P<string>[bBuUrR]{0,2}(?:'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"
        |'(?:\\.|[^\\'\n])*'|"(?:\\.|[^\\"\n])*"))
    |(?P<blank>[ \t\f]+|\#[^\r\n]*|\\(?:\r\n|\r|\n))
    |(?P<newline>\r\n|\r|\n)
    |(?P<number>\.?\d(?:[eE][-+]|[\w.])*)
    |(?P<name>[^\W\d]\w*)
    |(?P<sign><>|>>|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_LINE_END = re.compile(r"\r\n|\r|\n")
_OCTAL = re.compile(r"0\d+")
#: Keywords of statements whose colon may be followed by another statement on the same line.
_COMPOUND = frozenset({"if", "elif", "else", "for", "while", "try", "except", "finally", "with", "def", "class"})
#: Operators spelled as words: after `print`, they show that `print` is used as a name.
_WORDS = frozenset({"and", "or", "in", "is", "if", "else", "not", "for"})
#: Functions that return lists in Python 2.
_LISTS = frozenset({"map", "filter", "zip"})
_NAMES = {"xrange": "range", "async": "async_", "await": "await_", "nonlocal": "nonlocal_"}


@record(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@record(frozen=True, slots=True, order=True)
class _Edit:
    """The text that replaces the characters from `start` to `end`."""

    start: int
    end: int
    new: str


def parse(text: str, path: str) -> ast.Module | None:
    """Parse Python 2 source. Returns None if the text is not valid Python 2 either."""
    edits = sorted(_edits(text))
    if any(left.end > right.start for left, right in pairwise(edits)):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(_applied(text, edits), path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    _put_back(tree, text, edits)
    return tree


def _applied(text: str, edits: Sequence[_Edit]) -> str:
    parts, at = [], 0
    for edit in edits:
        parts += [text[at : edit.start], edit.new]
        at = edit.end
    return "".join([*parts, text[at:]])


def _edits(text: str) -> Iterator[_Edit]:
    every = [_Token(m.lastgroup or "", m.group(), m.start()) for m in _TOKEN.finditer(text)]
    yield from _indents(every)
    tokens = [token for token in every if token.kind != "blank"]
    yield from _spellings(tokens)
    for statement in _statements(tokens):
        yield from _statement(statement)


def _indents(tokens: Sequence[_Token]) -> Iterator[_Edit]:
    """Yield edits that replace tabs by spaces at the start of lines, where Python 2 allows mixing them."""
    for before, token in zip((None, *tokens), tokens, strict=False):
        begins = before is None or before.kind == "newline"
        if begins and token.kind == "blank" and "\t" in token.text and not token.text.strip():
            yield _Edit(token.start, token.end, token.text.expandtabs(8))


def _spellings(tokens: Sequence[_Token]) -> Iterator[_Edit]:
    """Yield edits for single tokens that Python 3 spells differently: numbers, strings, operators, names."""
    quotes = 0
    for at, token in enumerate(tokens):
        match token.kind, token.text:
            case "sign", "<>":
                yield _Edit(token.start, token.end, "!=")
            case "sign", "`":
                yield _Edit(token.start, token.end, ")" if quotes % 2 else "repr(")
                quotes += 1
            case "number", number:
                plain = number.rstrip("lL")
                new = f"0o{plain[1:]}" if _OCTAL.fullmatch(plain) and plain.strip("0") else plain
                if new != number:
                    yield _Edit(token.start, token.end, new)
            case "string", string if string[:2].lower() == "ur":
                yield _Edit(token.start, token.start + 1, "")
            case "name", name if name in _NAMES and not _is_attribute(tokens, at):
                yield _Edit(token.start, token.end, _NAMES[name])
            case "name", name if name in _LISTS and not _is_attribute(tokens, at):
                end = _closing(tokens, at + 1)
                if end is not None:
                    yield _Edit(token.start, token.start, "list(")
                    yield _Edit(tokens[end].end, tokens[end].end, ")")
            case "name", "lambda":
                yield from _parameters(tokens, at + 1, ":")


def _is_attribute(tokens: Sequence[_Token], at: int) -> bool:
    return at > 0 and tokens[at - 1].text in {".", "def", "import"}


def _closing(tokens: Sequence[_Token], opening: int) -> int | None:
    """Return the index of the token that closes the bracket at `opening`, or None if no bracket opens there."""
    if opening >= len(tokens) or tokens[opening].text != "(":
        return None
    depth = 0
    for at in range(opening, len(tokens)):
        depth += _deeper(tokens[at])
        if depth == 0:
            return at
    return None


def _deeper(token: _Token) -> int:
    if token.kind != "sign":
        return 0
    return 1 if token.text in "([{" else -1 if token.text in ")]}" else 0


def _parameters(tokens: Sequence[_Token], first: int, stop: str) -> Iterator[_Edit]:
    """Yield edits that replace each tuple parameter by a name. The names inside the tuple are lost."""
    depth, before = 0, ","
    for at in range(first, len(tokens)):
        token = tokens[at]
        if depth == 0 and (token.text == stop or token.kind == "newline"):
            return
        end = _closing(tokens, at) if depth == 0 and before == "," else None
        if end is not None:
            yield _Edit(token.start, tokens[end].end, f"_{token.start}")
        depth += _deeper(token)
        before = token.text


def _statements(tokens: Sequence[_Token]) -> Iterator[list[_Token]]:
    """Yield the tokens of each statement. For a compound statement, yield its header only."""
    statement: list[_Token] = []
    depth = 0
    for token in tokens:
        depth += _deeper(token)
        ends = depth <= 0 and (token.kind == "newline" or token.text == ";")
        if ends:
            yield statement
            statement, depth = [], 0
            continue
        statement.append(token)
        if depth == 0 and token.text == ":" and statement[0].text in _COMPOUND:
            yield statement
            statement = []
    yield statement


def _statement(tokens: list[_Token]) -> Iterator[_Edit]:
    """Yield edits for a statement whose syntax changed in Python 3."""
    tokens = [token for token in tokens if token.kind != "newline"]
    if len(tokens) < 2:
        return
    first, second, last = tokens[0], tokens[1], tokens[-1]
    match first.text:
        case "print" if _is_printed(second):
            yield _Edit(first.end, first.end, "(")
            yield _Edit(last.end, last.end, ")")
        case "exec" if second.text != "(" and second.kind in {"name", "string"}:
            yield _Edit(first.end, first.end, "(")
            yield from (_Edit(token.start, token.end, ",") for token in _at_top(tokens) if token.text == "in")
            yield _Edit(last.end, last.end, ")")
        case "raise":
            for comma in [token for token in _at_top(tokens) if token.text == ","][:1]:
                yield _Edit(comma.start, comma.end, "(")
                yield _Edit(last.end, last.end, ")")
        case "except":
            for comma in [token for token in _at_top(tokens) if token.text == ","][:1]:
                yield _Edit(comma.start, comma.end, " as ")
        case "def" if len(tokens) > 3:
            yield from _parameters(tokens, 3, ")")


def _is_printed(token: _Token) -> bool:
    """Whether the token after `print` can only start a printed expression."""
    if token.kind == "name":
        return token.text not in _WORDS - {"not"}
    return token.kind in {"string", "number"} or token.text in {"[", "{", "`", "~"}


def _at_top(tokens: Iterable[_Token]) -> Iterator[_Token]:
    """Yield the tokens outside all brackets."""
    depth = 0
    for token in tokens:
        if depth == 0:
            yield token
        depth += _deeper(token)


def _put_back(tree: ast.Module, text: str, edits: Sequence[_Edit]) -> None:
    """Give the nodes of the tree their positions in the original text. Edits never change the number of lines."""
    old, new = _lines(text), _lines(_applied(text, edits))
    starts = [0, *accumulate(len(line) for line in old)]
    rows = {bisect_right(starts, edit.start) for edit in edits}
    by_row = {row: [e for e in edits if starts[row - 1] <= e.start < starts[row]] for row in rows if row < len(starts)}

    def column(row: int, byte: int) -> int:
        if row not in by_row:
            return byte
        at = starts[row - 1] + len(new[row - 1].encode()[:byte].decode(errors="ignore"))
        before = _before(at, by_row[row]) - starts[row - 1]
        return len(old[row - 1][:before].encode())

    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.col_offset = column(node.lineno, node.col_offset)  # type: ignore[attr-defined]
            node.end_col_offset = column(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def _before(at: int, edits: Sequence[_Edit]) -> int:
    """Map an offset in an edited line back to the original text; only edits of this line are given."""
    shift = 0
    for edit in edits:
        if at < edit.start + shift:
            break
        if at < edit.start + shift + len(edit.new):
            return edit.start
        shift += len(edit.new) - (edit.end - edit.start)
    return at - shift


def _lines(text: str) -> list[str]:
    ends = [m.end() for m in _LINE_END.finditer(text)]
    return [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]
