"""The bound on the interpreter's work: what it leaves out is said, and costs no other function anything."""

from __future__ import annotations

from pathlib import Path

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n"
FORWARD = "    def hybrid_forward(self, F, x):\n"
#: Some three steps of the interpreter each.
LINE = "        x = x * 2\n"
ENOUGH = 20_000


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
