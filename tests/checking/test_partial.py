"""A file whose check is broken off: what was found until then is told, beside the reason."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hybridlint.checking import check_limits, checker, findings, text_versions
from hybridlint.checking.checker import Job, check
from hybridlint.core.result import Result
from hybridlint.fixing import file_check, loop
from hybridlint.project.settings.config import Config
from hybridlint.rule import Rule
from hybridlint.system import call_depth
from hybridlint.text.source import SourceFile

HEAD = "from mxnet.gluon import HybridBlock\n\n"
BLOCK = """
class {name}(HybridBlock):
    def hybrid_forward(self, F, x):
        y = x.T
        {code}
        return x.asnumpy()
"""

#: Of processor time: some twenty times what such a file takes.
SECONDS = 0.2


def _checked(text: str, *, fix: bool = False) -> Result:
    return check(Job(Path("net.py"), (HEAD + text).encode(), Config(root=Path()), fix=fix))


@pytest.fixture(autouse=True, scope="module")
def _imported() -> None:
    """Check once without a bound: what the first check imports takes processor time too."""
    _checked(BLOCK.format(name="Net", code="pass"), fix=True)


def _codes(result: Result) -> set[str]:
    return {found.code for found in result.diagnostics}


def _endless(*_: object, **__: object) -> None:
    while True:
        sum(range(100))


def _fix_with(monkeypatch: pytest.MonkeyPatch, instead: object) -> None:
    monkeypatch.setattr(file_check, "mark_offered", instead)
    monkeypatch.setattr(loop, "choose", instead)


def test_fixes_that_take_too_long_leave_the_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_limits, "SECONDS", SECONDS)
    _fix_with(monkeypatch, _endless)
    result = _checked(BLOCK.format(name="Net", code="pass"))
    assert {"HYB104", "HYB106"} <= _codes(result)
    assert "processor time" in str(result.failure)
    assert "only what was found until" in str(result.failure)
    assert not any(found.fix for found in result.diagnostics)


def test_an_analysis_that_takes_too_long_leaves_what_it_had_come_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_limits, "SECONDS", SECONDS)
    events = findings.PartialAnalysis.go_on

    def slow(self: findings.PartialAnalysis, rules: tuple[Rule, ...], source: SourceFile) -> None:
        monkeypatch.setattr(findings.PartialAnalysis, "go_on", events)
        _endless()

    monkeypatch.setattr(findings.PartialAnalysis, "go_on", slow)
    result = _checked(BLOCK.format(name="Net", code="pass"))
    assert {"HYB104", "HYB106"} <= _codes(result)
    assert result.failure is not None


def test_findings_that_comments_silence_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_limits, "SECONDS", SECONDS)
    monkeypatch.setattr(findings.PartialAnalysis, "so_far", _once_late(findings.PartialAnalysis.so_far))
    result = _checked(BLOCK.format(name="Net", code="pass").replace("x.T\n", "x.T  # noqa: HYB104\n"))
    assert "HYB106" in _codes(result)
    assert "HYB104" not in _codes(result)


def _once_late(method: object) -> object:
    calls: list[None] = []

    def late(*arguments: object) -> object:
        calls.append(None)
        if len(calls) == 1:
            _endless()
        return method(*arguments)  # type: ignore[operator]

    return late


def test_a_rule_that_raises_leaves_the_findings_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise KeyError("name")

    _fix_with(monkeypatch, crash)
    result = _checked(BLOCK.format(name="Net", code="pass"))
    assert {"HYB104", "HYB106"} <= _codes(result)
    assert "please report this:\nTraceback" in str(result.failure)


def test_nothing_is_fixed_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_limits, "SECONDS", SECONDS)
    _fix_with(monkeypatch, _endless)
    assert _checked(BLOCK.format(name="Net", code="pass"), fix=True).fixed is None


def test_the_next_file_is_checked_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(check_limits, "SECONDS", SECONDS)
        _fix_with(patch, _endless)
        assert _checked(BLOCK.format(name="Net", code="pass")).failure is not None
    assert checker._Shared.project is None
    assert _checked(BLOCK.format(name="Net", code="pass")).failure is None


deep = pytest.mark.skipif(sys.version_info < (3, 11), reason="calls take of the stack there")


@deep
@pytest.mark.skipif(sys.platform != "linux", reason="stacks grow on Linux alone")
@pytest.mark.parametrize("chain", ["x + " * 5000 + "x", "x" + ".relu()" * 4000, "'a' + " * 5000 + "'b'"])
def test_long_chains_are_analyzed(chain: str) -> None:
    result = _checked(BLOCK.format(name="Net", code=f"z = {chain}"))
    assert result.failure is None
    assert {"HYB104", "HYB106"} <= _codes(result)
    assert "HYB002" not in _codes(result)


@deep
def test_what_is_too_deep_costs_the_rest_of_its_function_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_depth, "_DEEPER", 1000)
    deeper = BLOCK.format(name="Deep", code="z = " + "x + " * 2000 + "x")
    text = BLOCK.format(name="First", code="pass") + deeper + BLOCK.format(name="Last", code="pass")
    result = _checked(text)
    assert result.failure is None
    told = [(d.code, d.location.row) for d in result.diagnostics if d.code in {"HYB104", "HYB106", "HYB002"}]
    assert told == [("HYB104", 6), ("HYB106", 8), ("HYB002", 11), ("HYB104", 12), ("HYB104", 18), ("HYB106", 20)]
    (cut,) = [d for d in result.diagnostics if d.code == "HYB002"]
    assert cut.message == (
        "`Deep.hybrid_forward` is nested too deeply to be analyzed: it was not checked from line 13 on"
    )


@deep
def test_a_constructor_that_is_too_deep_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_depth, "_DEEPER", 1000)
    init = "    def __init__(self):\n        super().__init__()\n        self.k = " + "self.a + " * 2000 + "1\n\n"
    result = _checked(BLOCK.format(name="Net", code="pass").replace("    def", init + "    def", 1))
    assert result.failure is None
    assert {"HYB002", "HYB104", "HYB106"} <= _codes(result)


@deep
def test_what_is_too_deep_for_libcst_has_no_fix_and_others_have() -> None:
    text = BLOCK.format(name="Net", code=f"z = ({'x' + '.relu()' * 300}).T\n        w = x.T").replace(
        "x.asnumpy()", "x"
    )
    result = _checked(text, fix=True)
    assert result.failure is None
    assert result.fixed is not None
    assert "w = x.transpose()" in result.fixed.after


def test_findings_with_fixes_to_try_give_a_check_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed: list[int] = []
    monkeypatch.setattr(text_versions, "allow_fixes", allowed.append)
    found = _checked(BLOCK.format(name="Net", code="pass") + BLOCK.format(name="Other", code="pass"))
    assert allowed == [len(found.diagnostics)]


@pytest.mark.skipif(sys.platform == "win32", reason="no clock of processor time")
def test_the_limit_is_told_with_what_was_added_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_limits, "SECONDS_PER_FIX", SECONDS)

    def work() -> None:
        with check_limits.bound_resources(SECONDS):
            check_limits.allow_fixes(2)
            _endless()

    with pytest.raises(check_limits.OutOfBoundsError) as caught:
        work()
    assert caught.value.seconds == pytest.approx(3 * SECONDS)
