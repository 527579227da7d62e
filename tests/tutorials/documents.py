"""The code cells of the tutorials, read from their text."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

SHARED = Path(__file__).resolve().parents[3] / "shared" / "tutorials"

_FENCE = re.compile(r"^```(?:\{\.python[^}]*\}|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_PROMPT = re.compile(r"^In \[\d+\]:\n(.*?)(?=^In \[\d+\]:|\Z)", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"\n\n\w+\n\n")


@dataclass(frozen=True)
class Document:
    """A tutorial: the name of its file and its cells in order."""

    name: str
    cells: tuple[str, ...]


def read(name: str) -> Document:
    """Read fenced cells of a Markdown file, or the cells after ``In [n]:`` of a page saved as text."""
    text = (SHARED / name).read_text(encoding="utf-8")
    if name.endswith(".md"):
        return Document(name, tuple(_FENCE.findall(text)))
    return Document(name, tuple(_code_before_output(part) for part in _PROMPT.findall(text)))


def _code_before_output(text: str) -> str:
    """A page shows a cell's output right below it: the code is the longest beginning that is Python.

    A paragraph of one word is a heading, although Python would take it for a name.
    """
    text = _HEADING.split(text, maxsplit=1)[0]
    lines = text.splitlines(keepends=True)
    for count in range(len(lines), 0, -1):
        code = "".join(lines[:count])
        try:
            ast.parse(code)
        except SyntaxError:
            continue
        return code
    raise ValueError(f"no Python in {text[:60]!r}")
