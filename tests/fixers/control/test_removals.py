"""Statements that only look, or whose result nothing reads: removed, and their comments stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.rule import Severity
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import fixed

CASES = {
    "a wait": ("x.wait_to_read()\nreturn x * 2", "return x * 2"),
    "a wait with a comment": ("x.wait_to_read()  # sync\nreturn x * 2", "# sync\nreturn x * 2"),
    "a name that nothing reads": ("n = x.context  # where\nreturn x * 2", "# where\nreturn x * 2"),
    "sizes that nothing reads": ("b, c = F.shape_array(x)  # sizes\nreturn x * 2", "# sizes\nreturn x * 2"),
    "alone in a branch": ("if self.slow:\n    x.wait_to_read()  # sync\nreturn x * 2", "# sync\nreturn x * 2"),
    "alone in a loop": (
        "for _ in range(3):\n    x.wait_to_read()  # sync\nreturn x * 2",
        "for _ in range(3):\n    pass  # sync\nreturn x * 2",
    ),
    "over several lines": (
        "n = getattr(  # device\n    x, 'context')\nx.wait_to_read(\n    # now\n)\nreturn x * 2",
        "n = getattr(  # device\n    x, 'context')\n# now\nreturn x * 2",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES.keys())
def test_removed(before: str, after: str) -> None:
    assert fixed(before) == after


@pytest.mark.parametrize("value", ["F.Dropout(x)", "F.split(x, 2)", "self.child(x)"])
def test_other_values_that_nothing_reads_stay(value: str) -> None:
    assert value in fixed(f"b, c = {value}\nreturn x * 2")


MEMORY = "import functools\n{}def g(t):\n    return t * 2\nreturn g(x)"


@pytest.mark.parametrize("comment", ["", "# fast\n"])
def test_a_memory_of_tensors(comment: str) -> None:
    before = MEMORY.format(f"@functools.lru_cache(maxsize=None){comment and '  '}{comment or chr(10)}")
    assert fixed(before, unsafe=True) == MEMORY.format(comment)


COUNTER = """\
from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.step = 0
        self.fc = nn.Dense(3)

    def hybrid_forward(self, F, x):
        self.step += 1
        return self.fc(x) * self.scale()

    def scale(self):
        return self.rate(10)

    def rate(self, most):
        return {rate}
"""


@pytest.mark.parametrize(("rate", "rows"), [("min(1.0, self.step / most)", [11, 18]), ("1 / most", [])])
def test_a_count_that_methods_read(rate: str, rows: list[int]) -> None:
    found = analyze_file(SourceFile(Path("net.py"), COUNTER.format(rate=rate)))
    told = [finding for finding in found if finding.severity is not Severity.INFO]
    assert [finding.node.lineno for finding in told] == rows  # type: ignore[attr-defined]


LOGGED = """
import logging

from mxnet.gluon import HybridBlock, nn

logger = logging.getLogger(__name__)


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        self._calls = getattr(self, "_calls", 0) + 1
        if self._calls % 100 == 0:
            logger.info("%d calls", {told})
        return x * 2
"""


@pytest.mark.parametrize(
    ("told", "severity"), [("self._calls", Severity.INFO), ('getattr(self, "_calls")', Severity.ERROR)]
)
def test_a_counter_that_begins_with_a_default_of_getattr(told: str, severity: Severity) -> None:
    source = SourceFile(Path("net.py"), LOGGED.replace("{told}", told))
    assert {f.severity for f in analyze_file(source) if f.rule.code == "HYB604"} == {severity}


def test_what_shows_f_is_there_to_show_the_trace() -> None:
    body = "print('F:', F)\nprint('x:', x)\nreturn x * 2"
    assert fixed(body, unsafe=True) == body
    assert fixed("print('x:', x)\nreturn x * 2", unsafe=True) == "return x * 2"


def test_what_a_setting_asks_for_is_printed_by_eager_runs() -> None:
    body = "if self.verbose:\n    print('x:', x.shape)\nreturn x * 2"
    assert "print('x:', x.shape)" in fixed(body, unsafe=True)
    assert "if F is mx.nd:" in fixed(body, unsafe=True)
