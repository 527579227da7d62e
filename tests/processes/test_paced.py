"""Progress where no terminal is."""

from __future__ import annotations

import pytest

from hybridlint.processes.paced import PAUSE, PacedLines


def test_a_line_is_written_after_each_pause_and_no_sooner(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    lines = PacedLines(lambda: now)
    for second in range(25):
        now = float(second)
        lines(lambda at=second: f"proving {at}")
    assert PAUSE == 10
    shown = capsys.readouterr()
    assert (shown.out, shown.err.splitlines()) == ("", ["proving 10", "proving 20"])
