"""The proof on the command line: fixes on offer, settings, and nothing left behind."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from hybridlint.project.files.cache_folder import read_from, write_into
from tests import commands

NET = """\
from mxnet.gluon import nn


class Net(nn.HybridBlock):
    # hybridlint: shapes(x=("N", 6, 8))
    def hybrid_forward(self, F, x):
        return x[:, 0]
"""


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return commands.text(arguments, cwd=folder)


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


SUM = """\
from mxnet.gluon import nn


class Sum(nn.HybridBlock):
    # hybridlint: verify(a=("N", 4), b=("N", {width}))
    def hybrid_forward(self, F, a, b):
        return a + b
"""


def test_what_is_known_is_not_run_again_and_settles_possible_findings(tmp_path: Path) -> None:
    (tmp_path / "equal.py").write_text(SUM.format(width=4))
    (tmp_path / "unequal.py").write_text(SUM.format(width=1))
    check = ("check", "--possible", "--output-format", "concise", ".")
    assert _run(tmp_path, *check).stdout.count("HYB301") == 2
    first = _run(tmp_path, "verify", ".")
    assert "1 proved, 1 refuted, 0 not run." in first.stdout
    folder = tmp_path / ".hybridlint_cache"
    known = json.dumps(read_from(folder, "proofs.json"))
    write_into(folder, "proofs.json", json.loads(known.replace("compiled = eager", "as it was found")))
    assert "as it was found" in _run(tmp_path, "verify", ".").stdout
    assert "as it was found" not in _run(tmp_path, "verify", "--no-cache", ".").stdout
    told = _run(tmp_path, *check)
    assert told.returncode == 1
    assert told.stdout.count("HYB301") == 1
    assert "unequal.py:7:16: HYB301" in told.stdout
    assert "; running Sum shows it: compiled: it fails" in told.stdout
    assert _run(tmp_path, *check, "--no-cache").stdout.count("HYB301") == 2
    assert _run(tmp_path, *check, "--no-cache", "--verify").stdout.count("HYB301") == 1


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
