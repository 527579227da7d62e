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
    return asked


def test_waiting_for_a_processor_is_taken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = _told(monkeypatch, "5000000000 30000000000 17\n")
    assert clock.now("42") == 70.0
    assert asked == ["/proc/42/schedstat"]


@pytest.mark.parametrize("text", [None, "", "5", "a b c"])
def test_where_the_system_does_not_tell_the_clock_is_a_plain_one(
    monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    _told(monkeypatch, text)
    assert clock.now() == 100.0
