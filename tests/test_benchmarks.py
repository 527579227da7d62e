"""The benchmark runs; what it measures is its own business."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_one_round_of_the_smallest_model() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "compiled.py"), "--rounds", "1", "lenet"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["lenet", "predict"], ["lenet", "train"]]


def test_one_round_of_single_operators() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "eager.py"), "--rounds", "1"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["x+y", "x*2", "exp"]
