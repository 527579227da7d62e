"""The format `frames`: the findings of a statement share a frame, in which their fixes are shown."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from hybridlint.checking.checker import Job, check
from hybridlint.project.settings.config import Config
from hybridlint.report.formats import frames
from hybridlint.report.report_options import ReportOptions

HEAD = """\
import mxnet as mx
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _frames(body: str, manner: ReportOptions = ReportOptions()) -> list[list[str]]:  # noqa: B008  # it is frozen
    """Return the lines of each frame for the body of a `hybrid_forward`, whose first line is line 7."""
    text = HEAD + "".join(f"        {line}\n" for line in body.splitlines())
    result = check(Job(Path("net.py"), text.encode(), Config(root=Path.cwd())))
    return [frame.splitlines() for frame in click.unstyle(frames.render([result], manner)).split("\n\n") if frame]


def test_the_frame_is_a_diff_with_the_finding_marked() -> None:
    assert _frames("x += 1\nreturn x * 2") == [
        [
            "net.py:7:9: HYB302 [*] error: `x` is a tensor: `+=` raises on a Symbol",
            "7 -         x += 1",
            "  |         ^^^^^^",
            "7 +         x = x + 1",
            "  = fix: as shown",
        ]
    ]


def test_findings_of_a_statement_share_a_frame() -> None:
    (frame,) = _frames("return F.relu(\n    x[0]\n    + x.T\n)")
    assert [line.split(" ")[1] for line in frame[:2]] == ["HYB201", "HYB104"]
    marks = [line.split("^ ")[1] for line in frame if "^ " in line]
    assert marks == ["HYB201", "HYB104"]
    assert [line for line in frame if line.endswith("x[0]")] == ["8 -             x[0]"]
    assert sum(line.startswith(("8 +", "9 +")) for line in frame) == 2


def test_a_change_that_answers_several_findings_is_shown_once() -> None:
    shown = _frames(
        "rows, columns = x.shape\ny = x + 1\nreturn y.reshape((rows, columns, 1))", ReportOptions(unsafe=True)
    )
    lines = [line for frame in shown for line in frame]
    assert len([line for line in lines if line.startswith("7 -")]) == 1


def test_a_finding_without_a_fix_has_advice_in_place_of_a_change() -> None:
    (frame,) = _frames("return F.relu(x).asnumpy()")
    assert [line for line in frame if line.startswith("7")] == ["7 |         return F.relu(x).asnumpy()"]
    assert any(line.startswith("  = help") for line in frame)


def test_a_fix_for_unsafe_fixes_is_called_so() -> None:
    (frame,) = _frames("if x.sum() > 0:\n    x = F.relu(x)\nreturn x * 2")
    assert any(line.startswith("  = unsafe fix: ") for line in frame)


@pytest.mark.parametrize("rows", [3, 12, 40])
def test_a_finding_takes_nine_lines_at_most(rows: int) -> None:
    terms = "\n".join(f"    + x[{row}]" for row in range(rows))
    (frame,) = _frames(f"return (\n    x\n{terms}\n)")
    assert len(frame) + 1 <= 9 * rows


def test_a_file_that_does_not_parse_has_a_frame() -> None:
    (frame,) = _frames("return (")
    assert "HYB001 error: " in frame[0]


def test_marks_stand_below_what_they_mark_behind_tabs_and_wide_characters() -> None:
    text = HEAD + "\t\tx += '\U00010348\u4e16' and 1; return x * 2\n"
    text = text.replace("    def", "\tdef")
    result = check(Job(Path("net.py"), text.encode(), Config(root=Path.cwd())))
    frame = click.unstyle(frames.render([result], ReportOptions())).splitlines()
    assert frame[1].startswith("7 -         x += ")
    # The second character is two columns wide.
    assert frame[2] == "  |         " + "^" * (len("x += '12' and 1") + 1)
