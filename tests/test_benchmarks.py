"""The benchmarks run; what they measure is their own business."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]


def test_one_round_of_the_smallest_model() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "compiled.py"), "--rounds", "1", "lenet"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["lenet", "predict"], ["lenet", "train"]]


def test_one_round_of_single_operators() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "eager.py"), "--rounds", "1"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["x+y", "x*2", "exp"]


def test_one_round_of_engines_and_their_errors() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "engines.py"), "--rounds", "1", "--errors", "mlp-1"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["mlp-1", "error"], ["mlp-1", "wall"], ["mlp-1", "processor"]]
    assert all(float(error) < 1e-5 for error in lines[1].split()[2:])


def test_a_chart_of_engines(tmp_path: Path) -> None:
    drawn = tmp_path / "engines.svg"
    command = [sys.executable, str(ROOT / "benchmarks" / "engines.py"), "--rounds", "1", "--svg", str(drawn), "mlp-1"]
    subprocess.run(command, capture_output=True, check=True)
    texts = [element.text for element in ElementTree.parse(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert "mlp-1" in texts
    assert "1.00" in texts


def test_the_measure_of_the_tutorials() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "tutorial.py"), "--rounds", "1"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["s", "hybridlint"]


def test_what_first_calls_cost() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "first_calls.py"), "--engine", "numpy", "mlp-1"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [["mlp-1", "numpy", "cold"], ["mlp-1", "numpy", "warm"]]


def test_one_round_of_linters(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("from mxnet.gluon import HybridBlock\n", encoding="utf-8")
    command = [sys.executable, str(ROOT / "benchmarks" / "lint.py"), "--rounds", "1", "--only", "ruff", str(tmp_path)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [line.split()[:2] for line in lines if line.startswith("hybridlint")]
    assert rows == [["hybridlint", "cold"], ["hybridlint", "warm"], ["hybridlint", "hook"]]


def test_a_synthetic_tree_has_as_many_files_as_asked_for(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "lint.py"), "--trees", "45"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["files", "45"]
