"""A proof that is ended early keeps what was judged until then."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from hybridlint.core.errors import EndedEarlyError
from hybridlint.frontends.commands import verify
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
    assert str(found.exception) == "the proof was ended early: the report holds the 1 block that was judged until then"


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
