"""The unified diff of the changes made by fixing."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from click import style

from hybridlint.report.style import show_file

if TYPE_CHECKING:
    from hybridlint.result import Result

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def render(results: Sequence[Result]) -> str:
    """Return the diff of all files changed by fixing."""
    return "".join(line for result in results for line in _diff(result))


def _diff(result: Result) -> Iterator[str]:
    if result.fixed is None or result.fixed.before == result.fixed.after:
        return
    name = show_file(result)
    before, after = (_lines(text) for text in (result.fixed.before, result.fixed.after))
    for line in difflib.unified_diff(before, after, name, name):
        text = line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        yield _coloured(text)
    yield "\n"


def _lines(text: str) -> list[str]:
    """Split at line feeds only: carriage returns and form feeds stay inside their line."""
    return _LINE.findall(text)


def _coloured(line: str) -> str:
    if line.startswith(("---", "+++")):
        return style(line, bold=True)
    colours = {"-": "red", "+": "green", "@": "cyan"}
    return style(line, fg=colours.get(line[0]))
