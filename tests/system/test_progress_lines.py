"""Progress where no terminal is."""

from __future__ import annotations

import pytest

from hybridlint.system.progress_lines import PAUSE, PacedLines


def test_a_line_is_written_after_each_pause_and_no_sooner(capsys: pytest.CaptureFixture[str]) -> None:
    seconds = iter(range(26))
    lines = PacedLines(lambda: float(next(seconds)))
    for second in range(1, 26):
        lines(f"proving {second}".__str__)
    assert PAUSE == 10
    shown = capsys.readouterr()
    assert (shown.out, shown.err.splitlines()) == ("", ["proving 10", "proving 20"])
