"""The clock of the process that limits a proof: it goes slowly while any process of the proof waits for a processor."""

from __future__ import annotations

import time

import pytest

from hybridlint.proving import clock
from hybridlint.proving.clock import ProofClock


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> dict[int, float]:
    """The processes of a proof and how long each has waited; 1 is the one that was started, at 100 seconds."""
    waited = {1: 2.0}
    monkeypatch.setattr(clock, "below", lambda process: (each for each in waited if each != process))
    monkeypatch.setattr(clock, "waiting_seconds", lambda process: waited.get(int(process), 0.0))
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    return waited


def test_what_descendants_wait_is_taken_off_too(processes: dict[int, float]) -> None:
    processes |= {2: 10.0, 3: 20.0}
    assert ProofClock(1).now() == 68.0


def test_a_process_that_has_ended_has_waited_as_long_as_was_seen(
    processes: dict[int, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    processes |= {2: 10.0}
    told = ProofClock(1)
    assert told.now() == 88.0
    del processes[2]
    assert told.now() == 88.0
    processes |= {3: 5.0}
    monkeypatch.setattr(time, "monotonic", lambda: 110.0)
    assert told.now() == 93.0


def test_one_look_a_second_at_which_processes_there_are(
    processes: dict[int, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = ProofClock(1)
    assert told.now() == 98.0
    processes |= {2: 1.0}
    monkeypatch.setattr(time, "monotonic", lambda: 100.5)
    assert told.now() == 98.5
    monkeypatch.setattr(time, "monotonic", lambda: 101.25)
    assert told.now() == 98.5 + 0.375
    monkeypatch.setattr(time, "monotonic", lambda: 103.25)
    assert told.now() == 100.25
