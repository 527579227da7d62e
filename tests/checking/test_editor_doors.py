"""The doors of editors and other tools: the same file gives the same findings as on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import hybridlint
from tests import commands
from tests.frontends.server.test_server import Editor, _open_notebook

NET = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x, y):
        x += 1
        z = F.relu(x)[0]
        return z.reshape((y.shape[0], -1)) + y.T
"""
#: The row and column, the code and the message of each finding.
Seen = list[tuple[int, int, str, str]]


def _command_line(folder: Path) -> Seen:
    done = commands.text(["check", "--no-cache", "--output-format", "json", "net.py"], cwd=folder)
    return [
        (each["location"]["row"], each["location"]["column"], each["code"], each["message"])
        for each in json.loads(done.stdout)
    ]


def _of_diagnostics(found: list[dict[str, object]], *, rows_above: int = 0) -> Seen:
    seen: Seen = []
    for each in found:
        start = each["range"]["start"]  # type: ignore[index]
        # Below the message stands what to do.
        message = str(each["message"]).partition("\n")[0]
        seen.append((start["line"] + 1 + rows_above, start["character"] + 1, str(each["code"]), message))
    return seen


def _server(folder: Path) -> Seen:
    pytest.importorskip("pygls")
    editor = Editor(folder, commands.started(["server"], cwd=folder))
    try:
        return _of_diagnostics(editor.open(folder / "net.py", NET))
    finally:
        editor.kill()


def _notebook_in_the_server(folder: Path) -> Seen:
    pytest.importorskip("pygls")
    imports, _, net = NET.partition("\n\n\n")
    editor = Editor(folder, commands.started(["server"], cwd=folder))
    try:
        uris = _open_notebook(editor, (folder / "lesson.ipynb").as_uri(), ["# A lesson", imports, net.rstrip()])
        told = [editor.told("textDocument/publishDiagnostics") for _ in uris[1:]]
        (found,) = (each["diagnostics"] for each in told if each["uri"] == uris[2])
        return _of_diagnostics(found, rows_above=3)
    finally:
        editor.kill()


def _notebook(folder: Path) -> Seen:
    imports, _, net = NET.partition("\n\n\n")
    cells: list[dict[str, object]] = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
        for source in (imports, net.rstrip())
    ]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    (folder / "lesson.ipynb").write_text(text, encoding="utf-8")
    return [
        (each.location.row + 3, each.location.column, each.code, each.message)
        for result in hybridlint.check(folder / "lesson.ipynb")
        for each in result.diagnostics
    ]


def _markdown(folder: Path) -> Seen:
    (folder / "lesson.md").write_text(f"# A lesson\n\n```python\n{NET}```\n", encoding="utf-8")
    (result,) = hybridlint.check(folder / "lesson.md")
    return [(each.location.row - 3, each.location.column, each.code, each.message) for each in result.diagnostics]


def _flake8(folder: Path) -> Seen:
    pytest.importorskip("flake8")
    command = [sys.executable, "-m", "flake8", "--isolated", "--format=%(row)d|%(col)d|%(code)s|%(text)s", "net.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False, timeout=120)
    rows = (line.split("|", 3) for line in done.stdout.splitlines() if "|HYB" in line)
    return [(int(row), int(column), code, text) for row, column, code, text in rows]


@pytest.mark.parametrize("door", [_server, _notebook_in_the_server, _notebook, _markdown, _flake8])
def test_every_door_finds_the_same(
    tmp_path: Path, door: Callable[[Path], Seen], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.py").write_text(NET, encoding="utf-8")
    expected = _command_line(tmp_path)
    assert [code for *_, code, _ in expected] == ["HYB302", "HYB201", "HYB101", "HYB104"]
    assert door(tmp_path) == expected
