"""Comments that edits would lose."""

from __future__ import annotations

import pytest

from hybridlint.text.comments import lost_comment
from hybridlint.text.edits import Edit
from hybridlint.text.source import Span

CASES = {
    "replaced with the comment": ("f(a,  # why\n  b)\n", "a,  # why\n  b", "b", "# why"),
    "carried along": ("f(a,  # why\n  b)\n", "a,  # why\n  b", "b,  # why\n  a", None),
    "one of two alike": ("f(a,  # x\n  b,  # x\n)\n", "a,  # x\n  b", "b", "# x"),
    "no comment but a string": ("f('# why')\n", "'# why'", "0", None),
    "outside of the edit": ("f(a)  # why\n", "a", "b", None),
}


@pytest.mark.parametrize(("text", "replaced", "content", "lost"), CASES.values(), ids=CASES.keys())
def test_lost_comment(text: str, replaced: str, content: str, lost: str | None) -> None:
    start = text.index(replaced)
    assert lost_comment(text, [Edit(Span(start, start + len(replaced)), content)]) == lost
