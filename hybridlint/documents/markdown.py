"""Markdown: fenced blocks of Python, also with attributes as in ``{.python .input}``.

Fences: https://spec.commonmark.org/0.31.2/#fenced-code-blocks
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hybridlint.documents import prose
from hybridlint.documents.prose import Block

SUFFIXES: Sequence[str] = (".md", ".markdown")
HAS_CELLS = False

_OPENING = re.compile(r"(?P<indent> *)(?P<fence>`{3,}|~{3,})\s*(?P<info>[^`]*)")
_PYTHON = re.compile(r"(?:py|python|python3|ipython|ipython3)(?![\w-])|\{[^}]*\.python(?![\w-])", re.IGNORECASE)


def program(data: bytes) -> str:
    """Return the program of the blocks. Raises SourceError if the bytes are no UTF-8."""
    return prose.program(data, _blocks)


def whole(data: bytes, text: str) -> bytes:
    """Return the document with the blocks of a program. Raises ValueError."""
    return prose.whole(data, text, _blocks)


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    row = 0
    while row < len(lines):
        opening = _OPENING.fullmatch(lines[row].rstrip("\r"))
        row += 1
        if opening is None:
            continue
        start, closing = row, re.compile(rf"\s*{opening['fence'][0]}{{{len(opening['fence'])},}}\s*")
        while row < len(lines) and not closing.fullmatch(lines[row]):
            row += 1
        if _PYTHON.match(opening["info"].strip()) and start < row:
            yield Block(start, row, opening["indent"])
        row += 1
