"""What a terminal shows while blocks are proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.proving.progress import DisplayedProgress
from hybridlint.report.proof import progress


def test_it_counts_blocks_and_not_their_runs() -> None:
    shown: list[str] = []
    display = DisplayedProgress(lambda text: shown.append(text()), str)
    display.expect(3)
    for block in ("Encoder", "Decoder", "Decoder"):
        display(Path("net.py"), block)
    assert shown == [
        "proving 1 of 3: Encoder (net.py)",
        "proving 2 of 3: Decoder (net.py)",
        "proving 2 of 3: Decoder (net.py)",
    ]


def test_there_are_never_fewer_than_were_begun() -> None:
    shown: list[str] = []
    display = DisplayedProgress(lambda text: shown.append(text()), str)
    display.expect(2)
    display.expect(-2)
    display(Path("net.py"), "Heir")
    assert shown == ["proving 1 of 1: Heir (net.py)"]


def test_nothing_is_shown_at_once_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with progress() as show:
        show(Path("net.py"), "Net")
    assert capsys.readouterr() == ("", "")
