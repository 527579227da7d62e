"""A proof that is ended early keeps what was judged until then."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from hybridlint.checking import session
from hybridlint.checking.checker import check as checked
from hybridlint.checking.pool import Answer, Numbered
from hybridlint.core.errors import EndedEarlyError
from hybridlint.frontends.commands import check, hybridize, verify
from hybridlint.proving.progress import Progress
from hybridlint.proving.stopping import STOPPED, stoppable, tell_if_stopped
from hybridlint.report import proof
from tests.proving.conftest import module

BODY = """
class Quick(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.relu(x)


class Endless(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        time.sleep(60)
        return x


class Never(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return x
"""


@pytest.fixture(autouse=True)
def _anew() -> Iterator[None]:
    STOPPED.clear()
    yield
    STOPPED.clear()


class _Ending(Progress):
    """Ends the proof once it comes to what never ends."""

    def __call__(self, path: Path, block: str) -> None:
        if block == "Endless":
            STOPPED.set()


@contextmanager
def _ending() -> Iterator[Progress]:
    yield _Ending()


def test_the_report_holds_what_was_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "net.py"
    path.write_text(module(BODY))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(proof, "progress", _ending)
    found = CliRunner().invoke(verify.command, ["--output-format", "json", str(path)])
    assert [outcome["block"] for outcome in json.loads(found.stdout)] == ["Quick"]
    assert isinstance(found.exception, EndedEarlyError)
    judged = "the proof was ended early: the report holds the 1 block that was judged until then"
    assert str(found.exception) == f"{judged}; blocks are left in {path}"


def test_a_file_whose_fixes_are_unproved_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = BODY.replace("return x", "x += 1\n        return x")
    path = tmp_path / "net.py"
    path.write_text(module(broken))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(proof, "progress", _ending)
    found = CliRunner().invoke(check.command, ["--fix", "--verify", "--no-cache", str(path)])
    assert path.read_text() == module(broken)
    assert "net.py: the run was ended before its fixes were proved: the file stays as it is" in found.stderr
    assert isinstance(found.exception, EndedEarlyError)


def test_a_conversion_that_is_ended_early_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = module(BODY).replace("HybridBlock", "Block").replace("hybrid_forward(self, F, x)", "forward(self, x)")
    path = tmp_path / "net.py"
    path.write_text(plain)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(hybridize, "progress", _ending)
    found = CliRunner().invoke(hybridize.command, ["--fix", "--no-cache", str(path)])
    assert path.read_text() == plain
    assert isinstance(found.exception, EndedEarlyError)
    assert str(found.exception) == "the run was ended early, and nothing was written: 0 of 1 files were looked at"


def test_a_check_that_is_ended_early_reports_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("first", "second", "third"):
        (tmp_path / f"{name}.py").write_text(module(BODY.replace("return x", "return x.T")))
    monkeypatch.chdir(tmp_path)

    def ended(jobs: Iterable[Numbered], processes: int) -> Iterator[Answer]:
        number, job = next(iter(jobs))
        yield number, checked(job)
        raise SystemExit(128 + signal.SIGTERM)

    monkeypatch.setattr(session, "spread_jobs", ended)
    found = CliRunner().invoke(check.command, ["--no-cache", "--output-format", "concise"])
    assert "first.py" in found.stdout
    assert isinstance(found.exception, EndedEarlyError)
    assert str(found.exception).startswith(
        "the check was ended early: 1 of 3 files were checked, and not second.py, third"
    )
    assert found.exception.status == 128 + signal.SIGTERM


def test_what_was_ended_early_is_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "net.py"
    path.write_text(module(BODY.replace("time.sleep(60)", "pass")))
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(proof, "progress", _ending)
        CliRunner().invoke(verify.command, ["--output-format", "json", str(path)])
    STOPPED.clear()
    found = CliRunner().invoke(verify.command, ["--output-format", "json", str(path)])
    assert [outcome["block"] for outcome in json.loads(found.stdout)] == ["Quick", "Endless", "Never"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_ends_the_proofs_only(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with stoppable():
        signal.raise_signal(number)
        assert STOPPED.is_set()
        with pytest.raises(EndedEarlyError, match=r"holds the 2 blocks that were judged") as told:
            tell_if_stopped(2)
        assert told.value.status == 128 + number
        assert signal.getsignal(number) is before
    assert signal.getsignal(number) is before
