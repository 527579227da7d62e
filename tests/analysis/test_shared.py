"""Blocks of other files: built once for all files, and what is found is what building them for each file finds."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from hybridlint.analysis.interpret import new_project
from hybridlint.analysis.project.program import Project
from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

from .test_repeated_calls import CALLS, _text

IMPORTS = "from mxnet.gluon import HybridBlock, nn\nfrom part import Child\n"
#: A child whose method changes it, called by the constructor of its parent.
TUNED = """
from mxnet.gluon import HybridBlock, nn


class Child(HybridBlock):
    def __init__(self):
        super().__init__()
        self.units = 4

    def widen(self):
        self.body = nn.Dense(3)

    def hybrid_forward(self, F, x):
        return x * x.shape[0]
"""
TUNING = """

class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.first = Child()
        {change}

    def hybrid_forward(self, F, x):
        return self.first(x) + self.first.body.units
"""


def _findings(path: Path, text: str, project: Project) -> list[tuple[Any, ...]]:
    found = analyze_file(SourceFile(path, text), possible=True, project=project)
    return [(f.rule.code, f.severity, ast.dump(f.node, include_attributes=True), f.message, f.fix) for f in found]


def _same(folder: Path, texts: list[str]) -> None:
    """Assert that files analyzed with one project have the findings that they have alone, in any order."""
    files = {folder / f"net{number}.py": text for number, text in enumerate(texts)}
    alone = {path: _findings(path, text, new_project()) for path, text in files.items()}
    for order in (files, reversed(files)):
        project = new_project()
        for path in order:
            assert _findings(path, files[path], project) == alone[path]


@pytest.mark.parametrize("name", CALLS)
def test_calls_of_a_block_of_another_file(name: str, tmp_path: Path) -> None:
    head, mark, net = _text(*CALLS[name]).partition("class Net")
    (tmp_path / "part.py").write_text(head)
    _same(tmp_path, [IMPORTS + mark + net, IMPORTS + "\n" + mark + net, head, IMPORTS + mark + net.replace("+", "-")])


def test_a_block_that_one_file_changes(tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text(TUNED)
    tuned, left = TUNING.format(change="self.first.widen()"), TUNING.format(change="pass")
    _same(tmp_path, [IMPORTS + tuned, IMPORTS + left, IMPORTS + tuned])


def test_what_is_built_in_a_scope_is_what_is_built_outside(tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text(TUNED)
    body = "\n    def hybrid_forward(self, F, x):\n        {}return self.first(x)\n"
    init = TUNING.format(change="pass").partition("\n    def hybrid_forward")[0]
    scoped = body.format("with autograd.train_mode():\n            ")
    texts = [IMPORTS + "from mxnet import autograd\n" + init + each for each in (scoped, body.format(""))]
    _same(tmp_path, texts)


def test_a_file_that_is_changed_is_built_again(tmp_path: Path) -> None:
    path, project = tmp_path / "part.py", new_project()
    first = _findings(path, TUNED, project)
    changed = TUNED.replace("x * x.shape[0]", "x * self.units")
    assert first
    assert _findings(path, changed, project) == []
    assert _findings(path, TUNED, project) == first
