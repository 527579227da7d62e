"""Progress where no terminal is."""

from __future__ import annotations

import pytest

from hybridlint.system.progress_lines import PAUSE, LateLines, PacedLines


def test_a_line_is_written_after_each_pause_and_no_sooner(capsys: pytest.CaptureFixture[str]) -> None:
    seconds = iter(range(26))
    lines = PacedLines(lambda: float(next(seconds)))
    for second in range(1, 26):
        lines(f"proving {second}".__str__)
    assert PAUSE == 10
    shown = capsys.readouterr()
    assert (shown.out, shown.err.splitlines()) == ("", ["proving 10", "proving 20"])


def test_what_short_work_reached_is_not_told_and_all_of_long_work_is() -> None:
    seconds = iter([0.0, 2.0, 3.0, 10.0, 11.0])
    told: list[str] = []
    lines = LateLines(told.append, lambda: next(seconds))
    for number in range(2):
        lines(f"block {number} proved".__str__)
    assert told == []
    for number in range(2, 4):
        lines(f"block {number} proved".__str__)
    assert told == [f"block {number} proved" for number in range(4)]
