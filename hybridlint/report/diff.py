"""The unified diff of the changes made by fixing."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from click import style

from hybridlint.report.style import show_file

if TYPE_CHECKING:
    from hybridlint.core.result import Result

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def render(results: Sequence[Result]) -> str:
    """Return the diff of all files changed by fixing."""
    return "".join(line for result in results for line in _diff(result))


def text_diff(name: str, before: str, after: str) -> str:
    """Return the diff of one text, "" if nothing changed."""
    return "".join(_lines_of_diff(name, before, after))


def _diff(result: Result) -> Iterator[str]:
    if result.fixed is None or result.fixed.before == result.fixed.after:
        return
    yield from _lines_of_diff(show_file(result), result.fixed.before, result.fixed.after)


def _lines_of_diff(name: str, before: str, after: str) -> Iterator[str]:
    for line in difflib.unified_diff(_lines(before), _lines(after), name, name):
        text = line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        yield _coloured(text)
    if before != after:
        yield "\n"


def _lines(text: str) -> list[str]:
    """Split at line feeds only: carriage returns and form feeds stay inside their line."""
    return _LINE.findall(text)


def _coloured(line: str) -> str:
    if line.startswith(("---", "+++")):
        return style(line, bold=True)
    colours = {"-": "red", "+": "green", "@": "cyan"}
    return style(line, fg=colours.get(line[0]))
