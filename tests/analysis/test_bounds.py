"""The bound on the interpreter's work: what it leaves out is said, and costs no other function anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n"
FORWARD = "    def hybrid_forward(self, F, x):\n"
#: Some three steps of the interpreter each.
LINE = "        x = x * 2\n"
ENOUGH = 14_000


def findings(text: str) -> list[tuple[str, int, str]]:
    found = analyze_file(SourceFile(Path("net.py"), text))
    return [(f.rule.code, getattr(f.node, "lineno", 0), f.message) for f in found]


def test_a_function_that_is_too_long_is_told_with_the_line_from_which_on_it_was_not_checked() -> None:
    [(code, row, message)] = findings(HEAD + FORWARD + LINE * ENOUGH + "        return x * x.shape[0]\n")
    assert (code, row) == ("HYB002", 5)
    head, _, line = message.removesuffix(" on").rpartition("from line ")
    assert head == "`Net.hybrid_forward` takes more steps than the analysis allows: it was not checked "
    assert 5 < int(line) < ENOUGH


def test_what_stands_before_that_line_is_found() -> None:
    first = "        x = x * x.shape[0]\n"
    assert [code for code, _, _ in findings(HEAD + FORWARD + first + LINE * ENOUGH)] == ["HYB002", "HYB101"]


def test_a_constructor_that_is_too_long_is_told() -> None:
    init = "    def __init__(self):\n        super().__init__()\n        x = 1\n" + LINE * ENOUGH
    [(code, row, message)] = findings(HEAD + init + FORWARD + "        return x * 2\n")
    assert (code, row) == ("HYB002", 5)
    assert message.startswith("`Net.__init__` takes more steps")


def test_one_long_function_takes_no_steps_from_others() -> None:
    long = "class Net(HybridBlock):\n" + FORWARD + LINE * ENOUGH + "        return x\n\n\n"
    other = "class Other(HybridBlock):\n" + FORWARD + "        return x * x.shape[0]\n\n\n"
    for classes in (long + other, other + long):
        assert {code for code, _, _ in findings("from mxnet.gluon import HybridBlock\n\n\n" + classes)} == {
            "HYB002",
            "HYB101",
        }


def test_nothing_is_told_of_functions_that_are_checked_whole() -> None:
    assert findings(HEAD + FORWARD + LINE * 100 + "        return x\n") == []


def test_the_steps_of_a_whole_file_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridlint.analysis.run.run._MOST_IN_ALL", 400)
    one = "class Net{}(HybridBlock):\n" + FORWARD + LINE * 50 + "        return x[0]\n\n\n"
    text = "from mxnet.gluon import HybridBlock\n\n\n" + "".join(map(one.format, range(5)))
    found = [code for code, _, _ in findings(text)]
    # The last classes of a file are checked first.
    assert found[0] == "HYB002"
    assert found[-1] == "HYB201"
    assert len(found) == 5


def test_the_work_for_the_findings_of_a_file_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridlint.checking.findings._MOST_WORK", 5000)
    text = HEAD + FORWARD + "        y = x[0]\n" * 50 + "        return x\n"
    (cut, *rest) = findings(text)
    assert cut[0] == "HYB002"
    assert {code for code, _, _ in rest} == {"HYB201"}
    assert len(rest) < 10
    assert f"from line {max(row for _, row, _ in rest) + 1} on" in cut[2]


def test_the_work_for_classes_grows_with_their_number_and_no_faster() -> None:
    """What a class asks of all others, or of the whole text, is asked once."""
    import gc
    import sys

    def calls(classes: int) -> int:
        one = "class Net{}(HybridBlock):\n" + FORWARD + "        return x * 2\n\n\n"
        text = "from mxnet.gluon import HybridBlock\n\n\n" + "".join(map(one.format, range(classes)))
        count = 0

        def counted(frame: object, event: str, _: object) -> None:
            nonlocal count
            count += event == "call"

        before = sys.getprofile()
        # What looks for garbage calls functions of others.
        gc.collect()
        gc.disable()
        sys.setprofile(counted)
        try:
            assert findings(text) == []
        finally:
            sys.setprofile(before)
            gc.enable()
        return count

    calls(2)
    assert calls(200) < 4.4 * calls(50)
