"""The command line as its users see it: a child process, its two streams and its exit status."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

import hybridlint
from tests import commands

BESIDE_PACKAGE = str(Path(hybridlint.__file__).parents[1])


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str


@dataclass(frozen=True)
class CommandLine:
    """Runs ``python -m hybridlint`` in a folder."""

    folder: Path

    def __call__(self, *arguments: str | Path, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Outcome:
        inherited = {name: value for name, value in os.environ.items() if name != "FORCE_COLOR"}
        environment = {**inherited, "PYTHONPATH": BESIDE_PACKAGE, "PYTHONUTF8": "1", **(env or {})}
        done = commands.run(arguments, cwd=self.folder, stdin=stdin, env=environment)
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path


@pytest.fixture
def cli(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)
