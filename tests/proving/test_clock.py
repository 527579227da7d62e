"""The clock of a proof: what a busy machine takes is no time of the block's."""

from __future__ import annotations

import builtins
import io
import time
from typing import Any

import pytest

from hybridlint.proving.child import clock


def _told(monkeypatch: pytest.MonkeyPatch, text: str | None) -> list[str]:
    asked: list[str] = []

    def opened(path: str, **_options: Any) -> io.StringIO:
        asked.append(path)
        if text is None:
            raise FileNotFoundError(path)
        return io.StringIO(text)

    monkeypatch.setattr(builtins, "open", opened)
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    monkeypatch.setattr(clock, "_CLOCK", clock.PacedClock())
    return asked


def test_waiting_for_a_processor_is_taken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = _told(monkeypatch, "5000000000 30000000000 17\n")
    assert clock.now() == 70.0
    assert asked == ["/proc/self/schedstat"]


@pytest.mark.parametrize("text", [None, "", "5", "a b c"])
def test_where_the_system_does_not_tell_the_clock_is_a_plain_one(
    monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    _told(monkeypatch, text)
    assert clock.now() == 100.0


def test_a_busy_machine_makes_a_proof_last_twice_as_long_at_most() -> None:
    told = clock.PacedClock()
    assert told.read(100.0, 10.0) == 90.0
    assert told.read(110.0, 10.0) == 100.0
    assert told.read(120.0, 19.0) == 105.0
    # What it has gone too fast is made up for.
    assert told.read(124.0, 19.0) == 107.0
    assert told.read(128.0, 19.0) == 109.0
    assert told.read(130.0, 19.0) == 111.0
