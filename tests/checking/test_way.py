"""The way goes forward: with one file through ``check --fix --verify`` no part is entered more than three times."""

from __future__ import annotations

from pathlib import Path

import pytest

from .way import Way, of_check

NET = """\
from mxnet import nd
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        x += 1
        return nd.relu(x)
"""
WRONG = """\
from mxnet.gluon import HybridBlock


class Right(HybridBlock):
    def hybrid_forward(self, F, x):
        x += 1
        return x


# hybridlint: verify(x=[("N", 3), ("N", 3)])
class Wrong(HybridBlock):
    def hybrid_forward(self, F, x):
        return sum(x)
"""


def _way(folder: Path, text: str, *options: str) -> Way:
    path = folder / "net.py"
    path.write_text(text, encoding="utf-8")
    way = of_check(["--fix", "--verify", *options, str(path)])
    assert path.read_text(encoding="utf-8") != text
    return way


def test_no_part_is_entered_more_than_three_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    way = _way(tmp_path, NET)
    assert "1 proved" in capsys.readouterr().out
    assert max(way.counts.values()) <= 3, way.visits
    # Found, read and written; made ready, analyzed before and after the fixes; inputs checked, fixes proved.
    assert {part: way.counts[part] for part in ("files", "analysis", "fixing", "proving")} == {
        "files": 3,
        "analysis": 3,
        "fixing": 1,
        "proving": 2,
    }
    first = list(dict.fromkeys(part for _, part, _ in way.visits))
    assert [part for part in first if part != "commands"] == [
        "checking",
        "files",
        "analysis",
        "fixing",
        "proving",
        "report",
    ]


def test_only_a_fix_that_is_taken_back_leads_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file is fixed again without it: made ready once more, and analyzed once more."""
    way = _way(tmp_path, WRONG, "--unsafe-fixes")
    assert "was taken back" in capsys.readouterr().out
    assert way.counts["analysis"] == 3 + 2
    assert way.counts["proving"] == 2
    assert way.counts["files"] == 3
