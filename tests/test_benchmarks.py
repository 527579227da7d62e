"""The benchmarks run; what they measure is their own business."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_one_round_of_the_smallest_model() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "compiled.py"), "--rounds", "1", "lenet"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["lenet", "predict"], ["lenet", "train"]]


def test_one_round_of_single_operators() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "eager.py"), "--rounds", "1"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["x+y", "x*2", "exp"]


def test_one_round_of_common_calls() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "speed.py"), "--rounds", "1", "tiny/add", "layer/Dense-tiny"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    names = ["tiny/add", "tiny/add-number", "layer/Dense-tiny", "layer/Dense-tiny-train"]
    assert [line.split()[0] for line in lines[1:-1]] == names


@dataclass(frozen=True)
class _Engines:
    lines: list[str]
    chart: Path


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> _Engines:
    """One round of the engines, with errors and a chart."""
    chart = tmp_path_factory.mktemp("engines") / "engines.svg"
    options = ["--rounds", "1", "--errors", "--svg", str(chart), "mlp-1"]
    command = [sys.executable, str(ROOT / "benchmarks" / "engines.py"), *options]
    return _Engines(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines(), chart)


def test_one_round_of_engines_and_their_errors(engines: _Engines) -> None:
    rows = [["mlp-1", "error"], ["mlp-1", "wall"], ["mlp-1", "processor"]]
    assert [line.split()[:2] for line in engines.lines[1:]] == rows
    assert all(float(error) < 1e-5 for error in engines.lines[1].split()[2:])


_A_ZOO = """
from mxnet.gluon import nn


def get_model(name, pretrained):
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3), nn.BatchNorm(), nn.Activation("relu"), nn.GlobalAvgPool2D(), nn.Dense(3))
    return net
"""


def _networks(packages: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "benchmarks" / "engines.py"), "--networks", "--rounds", "1", *arguments]
    own = {**os.environ, "PYTHONPATH": str(packages)}
    return subprocess.run(command, env=own, capture_output=True, text=True, check=False)


def test_one_round_of_a_network_whose_outputs_were_compared(tmp_path: Path) -> None:
    (tmp_path / "gluoncv").mkdir()
    (tmp_path / "gluoncv" / "__init__.py").touch()
    (tmp_path / "gluoncv" / "model_zoo.py").write_text(_A_ZOO, encoding="utf-8")
    lines = _networks(tmp_path, "--errors", "squeezenet1.1").stdout.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [
        ["squeezenet1.1", row] for row in ("error", "wall", "processor")
    ]
    assert all(float(error) < 1e-5 for error in lines[1].split()[2:])


@pytest.mark.skipif(find_spec("gluoncv") is not None, reason="gluoncv is installed")
def test_networks_are_left_out_by_name_without_gluoncv(tmp_path: Path) -> None:
    found = _networks(tmp_path)
    assert (found.returncode, found.stdout) == (0, "")
    assert found.stderr == "the networks are left out: gluoncv is not installed\n"


def test_networks_do_not_train(tmp_path: Path) -> None:
    assert "networks only predict" in _networks(tmp_path, "--train").stderr


def test_a_chart_of_engines(engines: _Engines) -> None:
    texts = [element.text for element in ElementTree.parse(engines.chart).iter("{http://www.w3.org/2000/svg}text")]
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


def test_new_sizes_are_timed() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "new_sizes.py"), "--rounds", "1", "mlp", "many-3"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["jit", "mlp", "many-3", "many-3"]
