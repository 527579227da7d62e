"""The codemod, by libcst's own tool and by its interface: what `hybridlint check --fix` writes, and no other file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from libcst.codemod import CodemodContext, TransformSuccess, transform_module

from hybridlint.codemod import FixCommand

HEAD = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n"
BLOCK = HEAD + "    def hybrid_forward(self, F, x):\n        {}\n"
SAFE = BLOCK.format("return x.T  # turned"), BLOCK.format("return x.transpose()  # turned")
UNSAFE = BLOCK.format("return sum(x)"), BLOCK.format("return F.sum(x, axis=0)")


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run libcst's tool on a folder. Without a settings file it would call Black."""
    command = [sys.executable, "-m", "libcst.tool", "codemod", "--no-format", "-x", "hybridlint.codemod.FixCommand"]
    return subprocess.run(
        [*command, *options, "."], cwd=folder, capture_output=True, encoding="utf-8", timeout=120, check=False
    )


@pytest.mark.parametrize(
    ("options", "unsafe_after"), [((), UNSAFE[0]), (("--unsafe-fixes",), UNSAFE[1])], ids=["safe", "unsafe"]
)
def test_the_tool_writes_what_fixing_gives(tmp_path: Path, options: tuple[str, ...], unsafe_after: str) -> None:
    files = {"safe.py": SAFE, "unsafe.py": (UNSAFE[0], unsafe_after), "other.py": ("x  =  1\n", "x  =  1\n")}
    for name, (before, _) in files.items():
        (tmp_path / name).write_text(before, encoding="utf-8")
    done = run(tmp_path, *options)
    assert done.returncode == 0, done.stderr
    assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in files} == {
        name: after for name, (_, after) in files.items()
    }


def test_the_settings_of_the_project_hold(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.hybridlint]\nignore = ["ALL"]\n', encoding="utf-8")
    (tmp_path / "net.py").write_text(SAFE[0], encoding="utf-8")
    assert run(tmp_path).returncode == 0
    assert (tmp_path / "net.py").read_text(encoding="utf-8") == SAFE[0]


def test_it_is_a_codemod_as_any_other() -> None:
    result = transform_module(FixCommand(CodemodContext(filename="net.py")), SAFE[0])
    assert isinstance(result, TransformSuccess)
    assert result.code == SAFE[1]
