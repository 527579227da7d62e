"""A possible finding is dropped only by a proof of its whole claim, with ``--verify`` and by known outcomes."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.pipeline import Pipeline, PipelineSteps
from hybridlint.checking.session import CheckSession
from hybridlint.core.result import Result
from hybridlint.frontends.api.check import check, check_source

HEAD = "from mxnet.gluon import HybridBlock, nn\n\n\n"

GATE = """\
class Net(HybridBlock):
    def __init__(self, channels):
        super().__init__()
        self.pool = nn.GlobalAvgPool2D()
        self.fc = nn.HybridSequential()
        self.fc.add(nn.Conv2D(channels // 2, 1), nn.Conv2D(channels, 1, activation="sigmoid"))

    def hybrid_forward(self, F, x):
        return x * self.fc(self.pool(x))
"""
NORM = """\
class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        return x / x.norm(axis=1, keepdims=True)
"""
TWO = """\
class Net(HybridBlock):
    def hybrid_forward(self, F, a, b):
        return a + b
"""
ELSEWHERE = """\
class Net(HybridBlock):
    def hybrid_forward(self, F, a, b, c=None):
        if c is not None:
            a = a * c
        return F.relu(a)
"""
EQUAL = '# hybridlint: verify(a=("N", 3), b=("N", 3))\n'
UNEQUAL = '# hybridlint: verify(a=("N", 1), b=("N", 3))\n'


def _told(result: Result) -> list[str]:
    """Return the severities of the findings about shapes."""
    return [found.severity for found in result.diagnostics if found.code == "HYB301"]


@pytest.mark.parametrize(
    ("code", "without", "after"),
    [
        (TWO, ["possible"], ["possible"]),
        (EQUAL + TWO, ["possible"], []),
        (UNEQUAL + TWO, ["possible"], ["error"]),
        (ELSEWHERE, ["possible"], ["possible"]),
        (NORM, None, None),
        (GATE, None, None),
    ],
    ids=["equal by guess", "as the user says", "unequal", "a line that did not run", "norm", "gate"],
)
def test_a_proof_settles_what_it_shows(code: str, without: list[str] | None, after: list[str] | None) -> None:
    before = check_source(HEAD + code, possible=True)
    proved = check_source(HEAD + code, possible=True, verify=True)
    if without is None:
        # What fails for every realistic input never passes, whatever sizes were tried.
        assert _told(before)
        assert _told(proved)
    else:
        assert _told(before) == without
        assert _told(proved) == after


def test_outcomes_that_are_known_settle_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {"guess.py": TWO, "said.py": EQUAL + TWO, "unequal.py": UNEQUAL + TWO, "elsewhere.py": ELSEWHERE}
    paths = [tmp_path / name for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(HEAD + text, encoding="utf-8")
    Pipeline(CheckSession(), PipelineSteps(find=False, stands=True)).of_files(paths)
    known = check(*paths, possible=True, cache=True)
    asked = check(*paths, possible=True, verify=True)
    assert [_told(result) for result in known] == [_told(result) for result in asked]
    assert list(map(_told, known)) == [["possible"], [], ["error"], ["possible"]]
