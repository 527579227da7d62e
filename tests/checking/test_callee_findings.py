"""A finding in a function that hybrid code of another checked file calls is reported in the file of the function."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.pipeline import Pipeline, PipelineSteps, forget
from hybridlint.checking.session import CheckSession
from hybridlint.project.files.importers import forget_importers

NET = """\
from mxnet.gluon import nn
{imported}


class Net(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        return {call}(x) + 1
"""
HELPER = "def first(x):\n    return x[:, 0]\n"
IMPORTS = {
    "by full name": ("from tools.ops import first", "first"),
    "module": ("from tools import ops", "ops.first"),
    "dotted module": ("import tools.ops", "tools.ops.first"),
    "module under another name": ("import tools.ops as o", "o.first"),
    "star": ("from tools.ops import *", "first"),
}


def found(folder: Path, *checked: str, cached: bool = False) -> list[tuple[str, str, int]]:
    forget()
    session = CheckSession(use_cache=cached, jobs=1)
    files = session.files([folder / name for name in checked])
    results = Pipeline(session, PipelineSteps()).of_files(files).results
    return [(d.code, r.path.name, d.location.row) for r in results for d in r.diagnostics]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for folder in ("tools", "models"):
        (tmp_path / folder).mkdir()
    (tmp_path / "tools" / "ops.py").write_text(HELPER)
    (tmp_path / "models" / "net.py").write_text(NET.format(imported="from tools.ops import first", call="first"))
    return tmp_path


@pytest.mark.parametrize("case", IMPORTS)
def test_a_helper_in_a_folder_without_init(project: Path, case: str) -> None:
    imported, call = IMPORTS[case]
    (project / "models" / "net.py").write_text(NET.format(imported=imported, call=call))
    assert found(project, ".") == [("HYB202", "ops.py", 2)]


def test_without_its_file_the_finding_is_at_the_call(project: Path) -> None:
    assert found(project, "models") == [("HYB202", "net.py", 7)]


def test_two_callers_make_one_finding(project: Path) -> None:
    (project / "models" / "other.py").write_text((project / "models" / "net.py").read_text())
    assert found(project, ".") == [("HYB202", "ops.py", 2)]


@pytest.mark.parametrize("checked", [".", "models"])
def test_a_comment_where_it_happens_silences_it(project: Path, checked: str) -> None:
    (project / "tools" / "ops.py").write_text(HELPER.replace("0]", "0]  # noqa: HYB202"))
    assert found(project, checked) == []


def test_the_settings_of_the_helpers_file_hold(project: Path) -> None:
    (project / "hybridlint.toml").write_text('per-file-ignores = {"tools/*" = ["HYB202"]}\n')
    assert found(project, ".") == []


def test_the_cache_keeps_where_it_happens(project: Path) -> None:
    for _ in range(2):
        assert found(project, ".", cached=True) == [("HYB202", "ops.py", 2)]
    (project / "tools" / "ops.py").write_text("\n" + HELPER)
    assert found(project, ".", cached=True) == [("HYB202", "ops.py", 3)]


def test_the_cache_follows_folders_that_become_packages(project: Path) -> None:
    assert found(project, ".", cached=True) == [("HYB202", "ops.py", 2)]
    (project / "models" / "tools").mkdir()
    (project / "models" / "tools" / "ops.py").write_text("def first(x):\n    return x\n")
    assert found(project, ".", cached=True) == []
    (project / "tools" / "__init__.py").write_text("")
    assert found(project, ".", cached=True) == [("HYB202", "ops.py", 2)]


def test_a_base_that_only_its_subclasses_make_a_block(project: Path) -> None:
    base = (
        "from mxnet.gluon import nn\n\n\nclass Base(nn.HybridBlock):\n    def first(self, x):\n        return x[:, 0]\n"
    )
    net = NET.format(imported="from tools.base import Base", call="self.first").replace("(nn.HybridBlock)", "(Base)")
    (project / "tools" / "base.py").write_text(base)
    (project / "models" / "net.py").write_text(net)
    assert found(project, ".") == [("HYB202", "base.py", 6)]


def test_a_comment_that_serves_callers_is_not_needless(project: Path) -> None:
    block = "\n\nclass Own(nn.HybridBlock):\n    def hybrid_forward(self, F, x):\n        return F.relu(x)\n"
    text = "from mxnet.gluon import nn\n\n\n" + HELPER.replace("0]", "0]  # noqa: HYB202") + block
    (project / "tools" / "ops.py").write_text(text)
    assert found(project, ".") == []
    (project / "models" / "net.py").unlink()
    forget_importers()
    assert found(project, ".") == [("HYB004", "ops.py", 5)]
