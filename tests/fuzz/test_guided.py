"""The command that fuzzes readers of files, guided by coverage: it runs where atheris is installed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.fuzz.guided", "--minutes", "0.03", "--only", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_without_atheris_it_says_so(tmp_path: Path) -> None:
    if importlib.util.find_spec("atheris") is not None:
        pytest.skip("atheris is installed")
    done = _run(tmp_path, "params")
    assert done.returncode == 0
    assert "pip install atheris" in done.stdout


def test_a_reader_is_fuzzed(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="needs atheris")
    done = _run(tmp_path, "directives")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "held" in done.stdout
    assert any((tmp_path / ".fuzz" / "directives" / "corpus").iterdir())
