"""Fixed files keep their line endings, whichever they are, also in lines that fixes add or wrap."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.text.edits import Edit
from hybridlint.text.line_endings import with_endings_of
from hybridlint.text.source import SourceFile, Span

#: A call that is wrapped, an import that is added, a statement with a comment, and a method that is added.
TEXT = """\
from mxnet import autograd
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.scale = 2
    def hybrid_forward(self, F, x, left_boundary_offsets, upper_boundary_offsets):
        y = F.maximum(  # of both
            x, 2
        )
        if autograd.is_training():
            y = y * self.scale
        return F.concat(y[:, 0:1] + left_boundary_offsets[:, 0:1], y[:, 1:2] + upper_boundary_offsets[:, 1:2], dim=1)
"""


def fixed(text: str) -> str:
    outcome = fix_source(SourceFile(Path("net.py"), text), analyze_file, unsafe=True)
    return outcome.source.text


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_files_with_other_endings_are_fixed_alike(ending: str) -> None:
    after = fixed(TEXT)
    assert len(after.splitlines()) > len(TEXT.splitlines())
    assert fixed(TEXT.replace("\n", ending)) == after.replace("\n", ending)


def test_new_lines_end_as_the_line_that_they_come_from() -> None:
    text = "a = 1\r\nb = 2\nc = 3\rd = 4"
    edits = [Edit(Span(offset, offset), "x\ny") for offset in (0, 6, 7, 13, 19)]
    assert [edit.content for edit in with_endings_of(text, edits)] == ["x\r\ny", "x\r\ny", "x\ny", "x\ry", "x\ry"]
