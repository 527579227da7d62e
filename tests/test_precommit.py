"""The hooks, run by the real pre-commit in a fresh repository that takes them from this checkout."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from functools import partial
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]

NET = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        x += 1
        return F.relu(x)
"""
FIXED = NET.replace("x += 1", "x = x + 1")


def _link_dependencies(folder: Path) -> Path:
    """Link what the package declares to need, and what that needs, in a folder of their own.

    pip takes them as installed where the folder is on the path, and need not unpack them; anything else is missing.
    """
    folder.mkdir()
    pending = metadata.requires("hybridlint") or []
    seen: set[str] = set()
    while pending:
        requirement = Requirement(pending.pop())
        name = canonicalize_name(requirement.name)
        if name in seen or (requirement.marker is not None and not requirement.marker.evaluate({"extra": ""})):
            continue
        seen.add(name)
        found = metadata.distribution(name)
        pending += found.requires or []
        for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            (folder / top).symlink_to(str(found.locate_file(top)))
    return folder


def _git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", *identity, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=60).stdout


def _pre_commit(folder: Path, home: Path, dependencies: Path, hook: str) -> subprocess.CompletedProcess[str]:
    # Without what git itself sets when these tests run inside one of its hooks.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = [sys.executable, "-m", "pre_commit", "run", hook, "--all-files", "--verbose"]
    return subprocess.run(
        command,
        cwd=folder,
        # Of the packages that it installs, the hooks import few modules.
        env={**environment, "PRE_COMMIT_HOME": str(home), "PIP_NO_COMPILE": "1", "PYTHONPATH": str(dependencies)},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a git repository with a file to check and the hooks configured."""
    if importlib.util.find_spec("pre_commit") is None:
        pytest.skip("pre-commit is not installed")
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout: pre-commit takes hooks from a git repository")
    revision = _git(ROOT, "rev-parse", "HEAD").strip()
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "net.py").write_text(NET, encoding="utf-8")
    (folder / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {ROOT}\n  rev: {revision}\n  hooks:\n  - id: hybridlint\n  - id: hybridlint-fix\n",
        encoding="utf-8",
    )
    _git(folder, "init", "--quiet")
    _git(folder, "add", ".")
    return folder


def test_hooks(repository: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    dependencies = _link_dependencies(tmp_path / "dependencies")
    run = partial(_pre_commit, repository, home, dependencies)
    checked = run("hybridlint")
    if "InstallationError" in checked.stdout or "No matching distribution" in checked.stdout:
        pytest.skip("packages cannot be downloaded here")
    assert checked.returncode == 1, checked.stdout + checked.stderr
    assert "net.py:6:9" in checked.stdout
    assert (repository / "net.py").read_text(encoding="utf-8") == NET

    fixed = run("hybridlint-fix")
    assert "files were modified by this hook" in fixed.stdout
    assert (repository / "net.py").read_text(encoding="utf-8") == FIXED
    _git(repository, "add", ".")
    assert run("hybridlint").returncode == 0
    assert run("hybridlint-fix").returncode == 0
