"""The plugin of flake8, as flake8 runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("flake8")

NET = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        x += 1
        return x.reshape((x.shape[0], -1)){comment}
"""


def _lines(folder: Path, text: str, *options: str) -> list[str]:
    (folder / "net.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "flake8", "--isolated", "--extend-select=HYB", *options, "net.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout.splitlines()


def test_findings_stand_beside_those_of_flake8(tmp_path: Path) -> None:
    first, second = _lines(tmp_path, NET.format(comment=""))
    assert first.startswith("net.py:6:9: HYB302 ")
    assert second.startswith("net.py:7:27: HYB101 ")


def test_a_selection_of_flake8s_settings_leaves_it_out_unless_it_is_extended(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET.format(comment=""), encoding="utf-8")

    def run(*options: str) -> int:
        command = [sys.executable, "-m", "flake8", "--isolated", *options, "net.py"]
        return len(
            subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout.splitlines()
        )

    assert (run(), run("--select=E"), run("--select=E", "--extend-select=HYB")) == (2, 0, 2)


def test_flake8_selects_and_silences(tmp_path: Path) -> None:
    assert _lines(tmp_path, NET.format(comment="  # noqa: HYB101"), "--extend-ignore=HYB3") == []
