"""Changed lines: what is found there since a commit."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hybridlint.adopting.changes import Changes
from hybridlint.checking.checker import Job, check
from hybridlint.errors import UsageError
from hybridlint.result import Result
from hybridlint.settings.config import Config

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

HEAD = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n"
ONE = HEAD + "        x += 1\n        return F.relu(x)\n"


def _git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose one commit has net.py with one finding."""
    (tmp_path / "net.py").write_text(ONE, encoding="utf-8")
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def _rows(root: Path, text: str, name: str = "net.py", ref: str = "HEAD") -> list[int]:
    path = root / name
    path.write_bytes(text.encode())
    result: Result = Changes(ref).only(check(Job(path, path.read_bytes(), Config(root=root))))
    return [found.location.row for found in result.diagnostics]


def test_nothing_changed(repository: Path) -> None:
    assert _rows(repository, ONE) == []


def test_lines_that_only_moved(repository: Path) -> None:
    assert _rows(repository, "import os\n\n" + ONE) == []


def test_line_ends_that_git_converts(repository: Path) -> None:
    assert _rows(repository, ONE.replace("\n", "\r\n")) == []


def test_a_new_line(repository: Path) -> None:
    assert _rows(repository, ONE.replace("        return", "        x *= 2\n        return")) == [7]


def test_a_new_file(repository: Path) -> None:
    assert _rows(repository, ONE, "other.py") == [6]


def test_a_finding_counts_where_the_line_of_a_note_changed(repository: Path) -> None:
    helper = "\n\ndef grow(x):\n    return x.shape\n"
    called = (
        ONE.replace("        x += 1\n        return F.relu(x)", "        return F.relu(x.reshape(grow(x)))") + helper
    )
    (repository / "net.py").write_text(called.replace("x.shape", "x"), encoding="utf-8")
    _git(repository, "commit", "-q", "-a", "-m", "second")
    assert _rows(repository, called) != []


def test_a_ref_that_does_not_exist(repository: Path) -> None:
    with pytest.raises(UsageError, match="`nowhere` is no commit, branch or tag of the git repository"):
        _rows(repository, ONE, ref="nowhere")


def test_a_ref_is_never_an_option_of_git(repository: Path) -> None:
    with pytest.raises(UsageError, match="is no commit"):
        _rows(repository, ONE, ref="--help")
