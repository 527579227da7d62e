"""reStructuredText: the directives ``code-block``, ``code`` and ``sourcecode`` with Python.

Directives: https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#directives
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hybridlint.project.documents.prose import CodeBlock, Prose, common_indent

_DIRECTIVE = re.compile(r"(?P<indent>\s*)\.\. (?:code-block|code|sourcecode)::\s*(?:py|python|python3|ipython3?)\s*")
_OPTION = re.compile(r"\s*:[\w-]+:.*")


def _blocks(lines: Sequence[str]) -> Iterator[CodeBlock]:
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
            yield CodeBlock(start, stop, common_indent(lines[start:stop]))


def _indented(line: str) -> int:
    return len(line) - len(line.lstrip())


FORM = Prose((".rst",), _blocks)
