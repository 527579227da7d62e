"""What a terminal shows while blocks are proved."""

from __future__ import annotations

from pathlib import Path

from hybridlint.report.proof import _Display, progress


def test_it_counts_blocks_and_not_their_runs() -> None:
    shown: list[str] = []
    display = _Display(shown.append)
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
    display = _Display(shown.append)
    display.expect(2)
    display.expect(-2)
    display(Path("net.py"), "Heir")
    assert shown == ["proving 1 of 1: Heir (net.py)"]


def test_nothing_is_shown_where_nobody_looks() -> None:
    with progress() as show:
        assert not show.shown
        show(Path("net.py"), "Net")
