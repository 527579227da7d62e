"""The proof on the command line: fixes on offer, settings, and nothing left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import hybridlint

BESIDE_PACKAGE = str(Path(hybridlint.__file__).parents[1])

NET = """\
from mxnet.gluon import nn


class Net(nn.HybridBlock):
    # hybridlint: shapes(x=("N", 6, 8))
    def hybrid_forward(self, F, x):
        return x[:, 0]
"""


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": BESIDE_PACKAGE, "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "hybridlint", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env=environment, timeout=120, check=False
    )


def test_check_proves_what_is_on_offer_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    done = _run(tmp_path, "check", "--verify", "net.py")
    assert done.returncode == 1
    assert "1 proved, 0 refuted, 0 not run." in done.stdout
    assert (tmp_path / "net.py").read_text() == NET


def test_verify_runs_the_file_as_it_stands_and_with_the_fixes_on_offer(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    done = _run(tmp_path, "verify", "net.py", "--output-format", "json")
    assert done.returncode == 1
    stands, mended = json.loads(done.stdout)
    assert (stands["block"], stands["status"], stands["failed_row"]) == ("Net", "refuted", 7)
    assert (mended["status"], mended["rounds"]) == ("proved", [{"N": 2}, {"N": 3}])
    assert mended["reason"].startswith("with `--fix`: ")


def test_verify_of_a_good_file(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET.replace("x[:, 0]", "F.relu(x)"))
    done = _run(tmp_path, "verify", ".")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "proved" in done.stdout
    assert not list(tmp_path.rglob("__pycache__"))


def test_settings_that_make_no_proof_are_misuse(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "pyproject.toml").write_text("[tool.hybridlint.verify]\nbatch-sizes = [2]\n")
    done = _run(tmp_path, "verify", "net.py")
    assert done.returncode == 2
    assert "`verify.batch-sizes` must be at least two different whole numbers" in done.stderr
    (tmp_path / "pyproject.toml").write_text("[tool.hybridlint.verify.inputs]\nNet = 'x=(2'\n")
    done = _run(tmp_path, "verify", "net.py")
    assert done.returncode == 2
    assert "`verify.inputs.Net`" in done.stderr
