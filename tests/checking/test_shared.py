"""Threads that check files at the same time: what analyses share is used by one of them at a time."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from hybridlint.analysis.interpret import new_project
from hybridlint.checking import findings, text_versions
from hybridlint.fixing.file_check import fixes_of
from hybridlint.frontends.api.check import check, check_source
from hybridlint.rule import Finding, default_rules
from hybridlint.text.source import SourceFile

NET = """\
from mxnet.gluon import HybridBlock
from base import Base


class Net(Base):
    def hybrid_forward(self, F, x):
        x += {}
        return self.head(x)[0]
"""
BASE = """\
from mxnet.gluon import HybridBlock, nn


class Base(HybridBlock):
    def __init__(self):
        super().__init__()
        self.head = nn.Dense(2)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "base.py").write_text(BASE, encoding="utf-8")
    for number in range(8):
        (tmp_path / f"net{number}.py").write_text(NET.format(number), encoding="utf-8")
    return tmp_path


def test_each_thread_finds_what_it_finds_alone(project: Path) -> None:
    alone = [check(path) for path in sorted(project.glob("net*.py"))]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(check, sorted(project.glob("net*.py"))))
    assert together == alone
    assert {len(result.diagnostics) for [result] in alone} == {2}


def test_one_thread_analyzes_at_a_time(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside: list[int] = []
    most: list[int] = []
    analyze = findings.analyze_file

    def counted(*arguments: Any, **more: Any) -> Any:
        inside.append(1)
        most.append(len(inside))
        sleep(0.01)
        try:
            return analyze(*arguments, **more)
        finally:
            inside.pop()

    monkeypatch.setattr(text_versions, "analyze_file", counted)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(check, sorted(project.glob("net*.py"))))
    assert max(most) == 1
    assert len(most) == 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked on Unix")
def test_a_process_forked_meanwhile_can_analyze(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()
    analyze = findings.analyze_file

    def waiting(*arguments: Any, **more: Any) -> Any:
        begun.set()
        go_on.wait(5)
        return analyze(*arguments, **more)

    monkeypatch.setattr(text_versions, "analyze_file", waiting)
    thread = threading.Thread(target=check_source, args=(NET.format(1), "net.py"))
    thread.start()
    begun.wait(5)
    threading.Timer(0.2, go_on.set).start()
    child = os.fork()
    if child == 0:
        monkeypatch.setattr(text_versions, "analyze_file", analyze)
        found = check_source(NET.format(2), "net.py").diagnostics
        os._exit(0 if found else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    thread.join()


def test_other_files_import_a_file_as_it_is_whatever_fixes_were_tried(project: Path) -> None:
    path = project / "net0.py"
    shared, source = new_project(), SourceFile.read(path)
    module = shared.module(source)
    asked = text_versions.TextVersions(default_rules(), shared, {}, {}, _any)
    outcome, _ = asked.answered(fixes_of(source, {}, unsafe=True))
    assert outcome.source.text != source.text
    assert shared.load(path.resolve()) is module


def _any(finding: Finding, source: SourceFile, *, possible: bool) -> Finding:
    return finding
