"""Markdown: fenced blocks of Python, also with attributes as in ``{.python .input}``.

Fences: https://spec.commonmark.org/0.31.2/#fenced-code-blocks
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hybridlint.project.documents.prose import CodeBlock, Prose

_OPENING = re.compile(r"(?P<indent> *)(?P<fence>`{3,}|~{3,})\s*(?P<info>[^`]*)")
_PYTHON = re.compile(r"(?:py|python|python3|ipython|ipython3)(?![\w-])|\{[^}]*\.python(?![\w-])", re.IGNORECASE)


def _blocks(lines: Sequence[str]) -> Iterator[CodeBlock]:
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
            yield CodeBlock(start, row, opening["indent"])
        row += 1


FORM = Prose((".md", ".markdown"), _blocks)
