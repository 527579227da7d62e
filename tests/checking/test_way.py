"""The way goes forward: with one file through ``check --fix --verify`` no part is entered more than four times."""

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
AND_WRONG = """

# hybridlint: verify(x=[("N", 3), ("N", 3)])
class Wrong2(HybridBlock):
    def hybrid_forward(self, F, x):
        x = sum(x)
        x += 1
        return x
"""
#: Fixed in several passes.
PASSES = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        y = x.reshape(x.shape[0], -1)
        y += 1
        return y[y.shape[0] - 1]
"""


def _way(folder: Path, text: str, *options: str) -> Way:
    path = folder / "net.py"
    path.write_text(text, encoding="utf-8")
    way = of_check(["--fix", "--verify", *options, str(path)])
    assert path.read_text(encoding="utf-8") != text
    return way


def _most(way: Way) -> int:
    return max(way.counts.values())


def test_no_part_is_entered_more_than_four_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    way = _way(tmp_path, NET)
    assert "1 proved" in capsys.readouterr().out
    assert _most(way) <= 4, way.visits
    # Files: found, read, those that import it found, written. Analysis: made ready, done. Proving: inputs checked,
    # fixes proved, whether somebody stopped them.
    assert {part: way.counts[part] for part in ("files", "analysis", "fixing", "proving")} == {
        "files": 4,
        "analysis": 2,
        "fixing": 1,
        "proving": 3,
    }, way.visits
    first = list(dict.fromkeys(part for _, part, _ in way.visits))
    assert [part for part in first if part != "commands"] == [
        "checking",
        "files",
        "analysis",
        "fixing",
        "proving",
        "report",
    ]


def test_passes_of_fixes_lead_nowhere_back(tmp_path: Path) -> None:
    """The fix loop asks for the findings of each text from where it stands."""
    way = _way(tmp_path, PASSES)
    assert (way.counts["analysis"], way.counts["fixing"]) == (2, 1), way.visits


@pytest.mark.parametrize(("text", "refuted"), [(WRONG, 1), (WRONG + AND_WRONG, 2)])
def test_fixes_that_are_taken_back_lead_back_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, refuted: int
) -> None:
    """However many are wrong, the file is fixed again once, without all of them."""
    way = _way(tmp_path, text, "--unsafe-fixes")
    assert capsys.readouterr().out.count("was taken back") == refuted
    assert _most(way) <= 4, way.visits
    assert {part: way.counts[part] for part in ("files", "analysis", "fixing", "proving")} == {
        "files": 4,
        "analysis": 3,
        "fixing": 3,
        "proving": 3,
    }, way.visits
