"""The process of the command line: a check neither collects garbage nor frees what it has made."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator

import pytest

from hybridlint.__main__ import entry
from hybridlint.frontends import cli


class _ExitedError(Exception):
    """The process has ended without cleanup."""


@pytest.fixture(autouse=True)
def _collecting() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


@pytest.mark.parametrize(
    ("arguments", "collects"),
    [(["check", "net.py"], False), (["check", "--watch"], True), (["rule"], True), (["server"], True)],
)
def test_only_a_check_that_ends_collects_no_garbage(
    arguments: list[str], collects: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []

    def main() -> None:
        seen.append(gc.isenabled())
        raise SystemExit(1)

    def end(code: int) -> None:
        raise _ExitedError

    monkeypatch.setattr(cli, "main", main)
    monkeypatch.setattr(sys, "argv", ["hybridlint", *arguments])
    monkeypatch.setattr(os, "_exit", end)
    with pytest.raises(_ExitedError if arguments[0] == "check" else SystemExit):
        entry()
    assert seen == [collects]
