"""First sentences of docstrings are short, and say what they are about in their first words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import hybridlint

ROOT = Path(hybridlint.__file__).parents[1]
FOLDERS = ("hybridlint", "rules", "fixers", "runtime")
MOST_WORDS = 25
#: Sentences with such a beginning that are there; the number may only fall.
MOST_NAMELESS = 80
#: Beginnings that name nothing: the reader has to go to the end to learn what is meant.
_NAMELESS = re.compile(r"(Return |Yield )?([Ww]hat|[Tt]hose) (?!if\b)")
_END = re.compile(r"[.:](?=\s|$)")


def _first_sentences() -> Iterator[tuple[str, str]]:
    """Yield the place and the first sentence of each docstring of the program."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if any(part.is_symlink() for part in path.parents):
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                    text = ast.get_docstring(node) or ""
                    place = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"
                    yield place, " ".join(_END.split(text, maxsplit=1)[0].split())


def test_first_sentences_are_short_and_name_their_subject() -> None:
    sentences = list(_first_sentences())
    assert len(sentences) > 10_000
    assert [place for place, text in sentences if len(text.split()) > MOST_WORDS] == []
    assert len([place for place, text in sentences if _NAMELESS.match(text)]) <= MOST_NAMELESS
