"""A source file: its text, and positions in it.

Analysis uses `ast`. Measured on gluoncv (389 modules, 4.1 MB), `ast.parse` takes 2 s, libcst 10 s, and libcst's
position metadata ten times that. libcst parses only the parts that a fix asks for (`hybridlint.text.concrete`). Edits
are spans of the text, so nothing outside a span changes.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import warnings
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import Path
from symtable import symtable

from hybridlint.runtime.facts.records import record
from hybridlint.text.regular import read_regular

_LINE_END = re.compile(r"\r\n|\r|\n")

#: ``except A, e:`` is Python 2, as in all files that Gluon code is in; Python 3.14 reads it as ``except (A, e):``.
_BARE = re.compile(r"^[ \t]*except[ \t][^(:#\n]*,", re.MULTILINE)

#: Encodings for which decoding and re-encoding any text gives back the same bytes.
_FAITHFUL = frozenset({"ascii", "iso-8859-1", "utf-8", "utf-8-sig"})


class SourceError(ValueError):
    """The file cannot be decoded or parsed as Python. `row` and `column` count from 1."""

    def __init__(self, reason: str, row: int = 1, column: int = 1) -> None:
        super().__init__(reason)
        self.reason = reason
        self.row = row
        self.column = column


@record(frozen=True, slots=True, order=True)
class Span:
    """Half-open range of character offsets."""

    start: int
    end: int

    def overlaps(self, other: Span) -> bool:
        """Whether the two spans share a character, or one is an insertion point inside the other or at its edge."""
        if self.start == self.end or other.start == other.end:
            return self.start <= other.end and other.start <= self.end
        return self.start < other.end and other.start < self.end

    def contains(self, other: Span) -> bool:
        """Whether the other span lies within this one."""
        return self.start <= other.start and other.end <= self.end


class SourceFile:
    """The text of a Python file, with its original line endings.

    `faithful` is false if encoding the text would not reproduce the file's bytes: such a file must not be written.
    `refused` is Python 3's syntax error for a file that was parsed as Python 2, None for other files.
    """

    refused: SourceError | None = None

    def __init__(self, path: Path, text: str, encoding: str = "utf-8", *, faithful: bool = True) -> None:
        self.path = path
        self.text = text
        self.encoding = encoding
        self.faithful = faithful

    @classmethod
    def read(cls, path: Path) -> SourceFile:
        """Read a file in the encoding that it declares. Raises OSError, and SourceError if it does not decode."""
        return cls.decode(path, read_regular(path))

    @classmethod
    def decode(cls, path: Path, data: bytes) -> SourceFile:
        """Decode a file's bytes as Python would. Raises SourceError."""
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            raise SourceError(f"cannot decode the file: {error}", row=data.count(b"\n", 0, error.start) + 1) from error
        except (SyntaxError, LookupError) as error:
            raise SourceError(f"cannot decode the file: {error}") from error
        except Exception as error:
            # A file may declare any of Python's codecs, and some (punycode, undefined) raise unusual exceptions.
            raise SourceError(f"cannot decode the file: {error or type(error).__name__}") from error
        return cls(path, text, encoding, faithful=encoding in _FAITHFUL or _encodes_to(text, encoding, data))

    @cached_property
    def tree(self) -> ast.Module:
        """Return the syntax tree. Raises SourceError."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(self.text.removeprefix("\ufeff"), str(self.path))
        except SyntaxError as error:
            raise SourceError(error.msg, error.lineno or 1, error.offset or 1) from error
        except (RecursionError, MemoryError) as error:
            raise SourceError("its code is nested too deeply for Python") from error
        except ValueError as error:
            raise SourceError(str(error)) from error
        if _may_be_bare(self.text):
            _refuse_bare_types(tree)
        return tree

    def read_leniently(self) -> SourceError | None:
        """Parse the file as Python 3, or else as Python 2, and let `tree` be the result.

        Returns Python 3's error if the file is Python 2, else None. Raises SourceError if it is neither.
        """
        if self.refused is None:
            try:
                self.tree  # noqa: B018 - raises where it is the syntax
            except SourceError as error:
                from hybridlint.text.python2 import parse

                tree = parse(self.text.removeprefix("\ufeff"), str(self.path))
                if tree is None:
                    raise
                self.tree, self.refused = tree, error
        return self.refused

    def check_syntax(self) -> None:
        """Raise SourceError if the file does not parse. It builds no tree, which would take a quarter longer."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                symtable(self.text.removeprefix("\ufeff"), str(self.path), "exec")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            # The compiler also rejects some uses of names that the parser accepts.
            self.tree  # noqa: B018 - raises where it is the syntax
        if _may_be_bare(self.text):
            self.tree  # noqa: B018 - raises where it is the syntax

    @cached_property
    def line_starts(self) -> list[int]:
        """Offsets of the line starts; entry 0 is line 1."""
        if "\r" in self.text:
            return [0, *(m.end() for m in _LINE_END.finditer(self.text))]
        # Splitting is four times as fast as searching for newlines.
        return [0, *accumulate(len(line) + 1 for line in self.text.split("\n")[:-1])]

    @cached_property
    def line_ending(self) -> str:
        """The line ending of the first line, used for new lines too."""
        first = _LINE_END.search(self.text)
        return first.group() if first else "\n"

    def line(self, row: int) -> str:
        """Return a line (from 1) without its ending."""
        start = self.line_starts[row - 1]
        end = self.line_starts[row] if row < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def offset(self, row: int, byte_column: int) -> int:
        """Return the character offset of an ast position (line from 1, UTF-8 byte column from 0)."""
        start = self.line_starts[row - 1]
        line = self.line(row)
        if line.isascii():
            return start + byte_column
        return start + len(line.encode()[:byte_column].decode(errors="ignore"))

    def span(self, node: ast.AST) -> Span:
        """Return the span of a syntax node that has a position."""
        return Span(
            self.offset(node.lineno, node.col_offset),  # type: ignore[attr-defined]
            self.offset(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
        )

    def code(self, node: ast.AST) -> str:
        """Return the text of a syntax node."""
        span = self.span(node)
        return self.text[span.start : span.end]

    def location(self, offset: int) -> tuple[int, int]:
        """Return the (row, column) of an offset, both from 1."""
        import bisect

        row = bisect.bisect_right(self.line_starts, offset)
        return row, offset - self.line_starts[row - 1] + 1


def with_text(source: SourceFile, text: str) -> SourceFile:
    """Return another version of a file. The last versions are cached, so that a tried text is parsed only once."""
    return _version(source.path, text, source.encoding)


@lru_cache(maxsize=4)
def _version(path: Path, text: str, encoding: str) -> SourceFile:
    return SourceFile(path, text, encoding)


def encode_text(text: str) -> bytes:
    """Encode a source text in the encoding that it declares."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(text.encode("utf-8", "surrogatepass")).readline)
    return text.encode(encoding)


def _encodes_to(text: str, encoding: str, data: bytes) -> bool:
    try:
        return text.encode(encoding) == data
    except Exception:
        # As above: codecs may raise unusual exceptions.
        return False


def _may_be_bare(text: str) -> bool:
    """Whether a handler may name several exceptions without parentheses, in a Python that parses that."""
    return sys.version_info >= (3, 14) and _BARE.search(text) is not None


def _refuse_bare_types(tree: ast.Module) -> None:
    """Raise SourceError for a handler of several exceptions without parentheses, as Python did before 3.14."""
    for node in ast.walk(tree):
        match node:
            case ast.ExceptHandler(type=ast.Tuple(elts=[first, *_]) as types) if types.col_offset == first.col_offset:
                raise SourceError("multiple exception types must be parenthesized", first.lineno, first.col_offset + 1)
