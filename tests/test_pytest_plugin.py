"""The plugin of pytest, in test runs of projects."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import hybridlint

PLUGIN = "hybridlint.frontends.plugins.pytest_plugin"
BESIDE_PACKAGE = str(Path(hybridlint.__file__).parents[1])

NET = """\
from mxnet.gluon import nn


class Net(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.sin(x[:, 0])
"""
TESTS = """\
from mxnet import nd
from mxnet.gluon import nn
from net import Net


def test_a_good_block(assert_hybridizable):
    assert_hybridizable(nn.Dense(2), nd.ones((2, 3)))


def test_a_bad_block(assert_hybridizable):
    assert_hybridizable(Net(), nd.ones((2, 3)))


def test_that_runs_eagerly():
    assert Net()(nd.zeros((2, 3))).shape == (2,)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "net.py").write_text(NET, encoding="utf-8")
    (tmp_path / "test_net.py").write_text(TESTS, encoding="utf-8")
    return tmp_path


def _pytest(folder: Path, *options: str, served: bool = True) -> str:
    # Where the package was installed before it had the plugin, nothing leads there.
    known = any(point.value == PLUGIN for point in entry_points(group="pytest11"))
    plugin = () if known else ("-p", PLUGIN)
    runner = ("hybridlint", "run", "-m", "pytest") if served else ("pytest",)
    command = [sys.executable, "-m", *runner, *plugin, "-p", "no:cacheprovider", "--tb=line", *options, str(folder)]
    environment = {**os.environ, "PYTHONPATH": BESIDE_PACKAGE, "PYTHONUTF8": "1", "NO_COLOR": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    return done.stdout


def test_the_fixture(project: Path) -> None:
    said = _pytest(project)
    assert "1 failed, 2 passed" in said
    assert "AssertionError: Net is refuted: compiled: it fails: TypeError: Symbol only support integer index" in said


def test_strict_runs(project: Path) -> None:
    said = _pytest(project, "--hybridlint-strict")
    assert "2 failed, 1 passed" in said
    assert "NotHybridizableError: HYB202: the subscript [:, 0] raises once hybridized" in said


def test_recorded_runs(project: Path) -> None:
    said = _pytest(project, "--hybridlint-record")
    assert f"hybridlint: 1 class in {project / '.hybridlint' / 'recorded.json'}" in said
    record = json.loads((project / ".hybridlint" / "recorded.json").read_text(encoding="utf-8"))
    (built,) = record["blocks"]["net.py:Net"]["built"]
    assert built["calls"] == [
        {"inputs": {"x": {"shape": [2, 3], "dtype": "float32"}}, "modes": ["predict"], "count": 2}
    ]


def test_workers_record(project: Path) -> None:
    (project / "conftest.py").write_text("from hybridlint.launch.serve import serve\n\nserve()\n", encoding="utf-8")
    said = _pytest(project, "--hybridlint-record", "--numprocesses", "2", served=False)
    assert "hybridlint: the workers record what is called" in said
    record = json.loads((project / ".hybridlint" / "recorded.json").read_text(encoding="utf-8"))
    assert list(record["blocks"]) == ["net.py:Net"]


def test_strict_runs_beside_another_mxnet_say_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "mxnet.py").write_text("", encoding="utf-8")
    (tmp_path / "test_plain.py").write_text("import mxnet\ndef test_nothing(): pass\n", encoding="utf-8")
    said = _pytest(tmp_path, "--hybridlint-strict", served=False)
    assert "1 failed" in said
    assert "RuntimeError: hybridlint.strict() looks into the bundled runtime" in said


def test_a_run_without_mxnet_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text("def test_nothing(): pass\n", encoding="utf-8")
    said = _pytest(tmp_path, "--hybridlint-record", "--hybridlint-strict", served=False)
    assert "1 passed" in said
    assert "hybridlint: nothing is recorded: there is no mxnet" in said


def test_what_a_run_does_not_ask_for_is_not_imported(tmp_path: Path) -> None:
    modules = {"hybridlint", "hybridlint.frontends", "hybridlint.frontends.plugins", PLUGIN}
    text = (
        "import sys\n\n\ndef test_nothing():\n    ours = {n for n in sys.modules if n.startswith('hybridlint')}\n"
        f"    assert ours == {modules!r}\n    assert 'numpy' not in sys.modules\n"
    )
    (tmp_path / "test_plain.py").write_text(text, encoding="utf-8")
    assert "1 passed" in _pytest(tmp_path, served=False)


def test_the_option_serves_the_runtime(project: Path) -> None:
    said = _pytest(project, "--hybridlint-runtime", served=False)
    assert "1 failed, 2 passed" in said


def test_without_mxnet_the_option_is_named(project: Path) -> None:
    said = _pytest(project, served=False)
    assert "hybridlint: 1 file imports mxnet, which is not installed: `pytest --hybridlint-runtime` brings one" in said
