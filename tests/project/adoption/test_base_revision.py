"""What is new since a commit is found wherever it is, and only in files that a change can concern."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hybridlint.checking.pipeline import Pipeline, PipelineSteps, forget
from hybridlint.checking.session import CheckSession
from hybridlint.core.errors import UsageError
from hybridlint.project.adoption.base_revision import BaseRevision

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

HEAD = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n"
ONE = HEAD + "        x += 1\n        return F.relu(x)\n"
CLEAN = HEAD + "        return F.relu(x)\n"
CALLER = "from helper import last\n" + HEAD + "        return last(x)\n"
PLAIN = "def last(x):\n    return x * 2\n"
SUBSCRIPT = "def last(x):\n    return x[:, -1]\n"
SHAPED = """\
from mxnet.gluon import nn


class Net(nn.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = nn.Dense(8, in_units=3)
        self.bias = self.params.get("bias", shape=({rows}, 8))

    # hybridlint: shapes(x=(4, 3))
    def hybrid_forward(self, F, x, bias):
        return self.dense(x) + bias
"""


def _git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def _write(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())


#: Texts of the commit, texts since (None: deleted), and where findings are new.
CHANGES: dict[str, tuple[dict[str, str], dict[str, str | None], list[str]]] = {
    "nothing": ({"net.py": ONE}, {}, []),
    "lines that moved": ({"net.py": ONE}, {"net.py": "import os\n\n" + ONE}, []),
    "line ends that git converts": ({"net.py": ONE}, {"net.py": ONE.replace("\n", "\r\n")}, []),
    "a new line": (
        {"net.py": ONE},
        {"net.py": ONE.replace("return", "x *= 2\n        return")},
        ["net.py:7"],
    ),
    "a new file": ({"net.py": ONE}, {"other.py": ONE}, ["other.py:6"]),
    "a file with a new name": ({"net.py": ONE}, {"net.py": None, "other.py": ONE}, []),
    "a shape in the constructor": ({"net.py": SHAPED.format(rows=4)}, {"net.py": SHAPED.format(rows=1)}, ["net.py:12"]),
    "a helper": ({"net.py": CALLER, "helper.py": PLAIN}, {"helper.py": SUBSCRIPT}, ["helper.py:2"]),
    "a helper that had it": ({"net.py": CALLER, "helper.py": SUBSCRIPT}, {"helper.py": "\n" + SUBSCRIPT}, []),
    "a call of a helper": (
        {"net.py": CALLER.replace("last(x)", "x"), "helper.py": SUBSCRIPT},
        {"net.py": CALLER},
        ["net.py:7"],
    ),
    "a helper behind another": (
        {"net.py": CALLER, "helper.py": "from deep import last\n", "deep.py": PLAIN},
        {"deep.py": SUBSCRIPT},
        ["deep.py:2"],
    ),
    "a base class that went": (
        {"net.py": "from base import Base\n" + ONE.replace("(HybridBlock)", "(Base)"), "base.py": "class Base: pass\n"},
        {"base.py": None},
        [],
    ),
    "what was silenced": (
        {"net.py": ONE.replace("x += 1", "x += 1  # noqa: HYB302")},
        {"net.py": ONE},
        ["net.py:6"],
    ),
    "what is repaired": ({"net.py": ONE}, {"net.py": CLEAN}, []),
}


def _changed(folder: Path, before: dict[str, str], after: dict[str, str | None]) -> None:
    _write(folder, before)
    _git(folder, "init", "-q")
    _git(folder, "add", ".")
    _git(folder, "commit", "-q", "-m", "first")
    for name, text in after.items():
        if text is None:
            (folder / name).unlink()
        else:
            _write(folder, {name: text})


def _found(folder: Path, ref: str = "HEAD") -> list[str]:
    forget()
    session, base = CheckSession(use_cache=False, jobs=1), BaseRevision(ref)
    files = base.affected(session.files([folder]))
    results = Pipeline(session, PipelineSteps()).of_files(files, base=base).results
    return [f"{result.path.name}:{found.location.row}" for result in results for found in result.diagnostics]


@pytest.mark.parametrize("case", CHANGES)
def test_what_is_new(tmp_path: Path, case: str) -> None:
    before, after, expected = CHANGES[case]
    _changed(tmp_path, before, after)
    assert _found(tmp_path) == expected


def test_only_changed_files_and_those_that_import_them_are_affected(tmp_path: Path) -> None:
    texts = {
        "a/net.py": CALLER.replace("helper", "a.helper"),
        "a/helper.py": PLAIN,
        "b/net.py": CLEAN,
        "c.py": "import b.net\n",
    }
    _changed(tmp_path, texts, {"a/helper.py": SUBSCRIPT})
    affected = BaseRevision("HEAD").affected([tmp_path / name for name in texts])
    assert affected == [tmp_path / "a/net.py", tmp_path / "a/helper.py"]


def test_a_caller_that_has_not_changed_tells_what_a_named_file_makes_wrong(tmp_path: Path) -> None:
    texts = {"net.py": "from sizes import ROWS\n" + SHAPED.replace("{rows}", "ROWS"), "sizes.py": "ROWS = 4\n"}
    _changed(tmp_path, texts, {"sizes.py": "ROWS = 1\n"})
    forget()
    session, base = CheckSession(use_cache=False, jobs=1), BaseRevision("HEAD")
    selection = session.selection([tmp_path / "sizes.py"], compared=True)
    results = Pipeline(session, PipelineSteps()).of_files(selection.files, selection=selection, base=base).results
    assert [(r.path.name, d.code) for r in results for d in r.diagnostics] == [("net.py", "HYB301")]


def test_git_runs_no_filter_of_the_repository(tmp_path: Path) -> None:
    _changed(tmp_path, {"net.py": ONE}, {"net.py": CLEAN, ".gitattributes": "*.py filter=evil\n"})
    _git(tmp_path, "config", "filter.evil.clean", f"touch {tmp_path / 'ran'}; cat")
    _found(tmp_path)
    assert not (tmp_path / "ran").exists()


def test_a_ref_that_does_not_exist(tmp_path: Path) -> None:
    _changed(tmp_path, {"net.py": ONE}, {})
    with pytest.raises(UsageError, match="`nowhere` is no commit, branch or tag of the git repository"):
        _found(tmp_path, "nowhere")


def test_a_ref_is_never_an_option_of_git(tmp_path: Path) -> None:
    _changed(tmp_path, {"net.py": ONE}, {})
    with pytest.raises(UsageError, match="`--upload-pack=x` is no commit"):
        _found(tmp_path, "--upload-pack=x")
