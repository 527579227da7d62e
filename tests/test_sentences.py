"""First sentences of docstrings are short, and say what they are about in their first words."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path

from tests.house import PACKAGE, Reading, modules

MOST_WORDS = 25
#: Sentences with such a beginning that are there; the number may only fall.
MOST_NAMELESS = 80
#: Beginnings that name nothing: the reader has to go to the end to learn what is meant.
_NAMELESS = re.compile(r"(Return |Yield )?([Ww]hat|[Tt]hose) (?!if\b)")
_END = re.compile(r"[.:](?=\s|$)")


@Reading
def _first_sentences(path: Path, _tree: ast.Module, nodes: Sequence[ast.AST]) -> list[tuple[str, str]]:
    """Return the place and the first sentence of each docstring of a module."""
    found = []
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node) or ""
            place = f"{path.relative_to(PACKAGE)}:{getattr(node, 'lineno', 1)}"
            found.append((place, " ".join(_END.split(text, maxsplit=1)[0].split())))
    return found


def test_first_sentences_are_short_and_name_their_subject() -> None:
    sentences = [found for _, path in modules() for found in _first_sentences.of(path)]
    assert len(sentences) > 10_000
    assert [place for place, text in sentences if len(text.split()) > MOST_WORDS] == []
    assert len([place for place, text in sentences if _NAMELESS.match(text)]) <= MOST_NAMELESS
