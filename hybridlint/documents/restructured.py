"""reStructuredText: the directives ``code-block``, ``code`` and ``sourcecode`` with Python.

Directives: https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#directives
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hybridlint.documents import prose
from hybridlint.documents.prose import Block, common_indent

SUFFIXES: Sequence[str] = (".rst",)
HAS_CELLS = False

_DIRECTIVE = re.compile(r"(?P<indent>\s*)\.\. (?:code-block|code|sourcecode)::\s*(?:py|python|python3|ipython3?)\s*")
_OPTION = re.compile(r"\s*:[\w-]+:.*")


def program(data: bytes) -> str:
    """Return the program of the blocks. Raises SourceError if the bytes are no UTF-8."""
    return prose.program(data, _blocks)


def whole(data: bytes, text: str) -> bytes:
    """Return the document with the blocks of a program. Raises ValueError."""
    return prose.whole(data, text, _blocks)


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    row = 0
    while row < len(lines):
        directive = _DIRECTIVE.fullmatch(lines[row].rstrip("\r"))
        row += 1
        if directive is None:
            continue
        while row < len(lines) and (_OPTION.fullmatch(lines[row]) or not lines[row].strip()):
            row += 1
        start, outer = row, len(directive["indent"])
        while row < len(lines) and (not lines[row].strip() or _indented(lines[row]) > outer):
            row += 1
        stop = row
        while stop > start and not lines[stop - 1].strip():
            stop -= 1
        if start < stop:
            yield Block(start, stop, common_indent(lines[start:stop]))


def _indented(line: str) -> int:
    return len(line) - len(line.lstrip())
