"""``hybridlint server`` as an editor uses it: a child process that speaks the Language Server Protocol."""

from __future__ import annotations

import io
import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread, Timer
from typing import Any

import pytest

from hybridlint.proving.process import Process
from tests import commands

pytest.importorskip("pygls")

NET = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        s = '\U00010348'; x += 1
        return F.relu(x)
"""
#: The column of `x += 1` in UTF-16 units, which clients count by default: the character before it takes two.
COLUMN = 18


class Editor:
    """A client: it sends requests and notifications, and reads what the server says."""

    def __init__(self, folder: Path, server: Process, capabilities: dict[str, Any] | None = None) -> None:
        self._server = server
        # What it logs must not keep it waiting.
        Thread(target=shutil.copyfileobj, args=(self._server.stderr, io.BytesIO()), daemon=True).start()
        # A server that says nothing must not keep the tests waiting.
        self._guard = Timer(120, self._server.kill)
        self._guard.start()
        self._numbers = itertools.count(1)
        self.request("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": capabilities or {}})
        self.notify("initialized", {})

    def request(self, method: str, params: Any) -> Any:
        number = next(self._numbers)
        self._send({"id": number, "method": method, "params": params})
        while (message := self._read()).get("id") != number or "method" in message:
            pass
        assert "error" not in message, message
        return message["result"]

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def told(self, method: str) -> Any:
        """Return the parameters of the next notification of this kind."""
        while (message := self._read()).get("method") != method:
            pass
        return message["params"]

    def open(self, path: Path, text: str) -> Any:
        document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return self.told("textDocument/publishDiagnostics")["diagnostics"]

    def actions(self, path: Path, *only: str) -> Any:
        span = {"start": {"line": 5, "character": COLUMN}, "end": {"line": 5, "character": COLUMN}}
        context = {"diagnostics": [], **({"only": list(only)} if only else {})}
        params = {"textDocument": {"uri": path.as_uri()}, "range": span, "context": context}
        return self.request("textDocument/codeAction", params)

    def end(self) -> int:
        self.request("shutdown", None)
        self.notify("exit", None)
        return self._server.wait(timeout=30)

    def kill(self) -> None:
        self._guard.cancel()
        self._server.kill()
        self._server.wait()
        for stream in (self._server.stdin, self._server.stdout):
            assert stream is not None
            with suppress(BrokenPipeError):
                stream.close()

    def _send(self, message: dict[str, Any]) -> None:
        assert self._server.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._server.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self._server.stdout is not None
        length = 0
        while (line := self._server.stdout.readline().strip()) != b"":
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        assert length, "the server ended"
        message: dict[str, Any] = json.loads(self._server.stdout.read(length))
        return message


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    editor = Editor(tmp_path, commands.started(["server"], cwd=tmp_path))
    yield editor
    editor.kill()


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Editor]:
    """An editor that starts the server as a program, and no copy of one that has imported what it needs."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "hybridlint", "server"]
    environment = {**os.environ, "PYTHONPATH": commands.BESIDE_PACKAGE}
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdin=pipe, stdout=pipe, stderr=pipe)
    editor = Editor(tmp_path, process)
    yield editor
    editor.kill()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that exists in the editor alone."""
    return tmp_path / "net.py"


def test_findings_appear_as_one_types(program: Editor, path: Path) -> None:
    (found,) = program.open(path, NET)
    assert (found["code"], found["source"], found["severity"]) == ("HYB302", "hybridlint", 1)
    assert found["range"]["start"] == {"line": 5, "character": COLUMN}
    assert found["range"]["end"] == {"line": 5, "character": COLUMN + len("x += 1")}
    assert found["codeDescription"]["href"].endswith("rules.md#in-place-operator-hyb302")
    change = {"range": {**found["range"]}, "text": "x = x + 1"}
    document = {"uri": path.as_uri(), "version": 2}
    program.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    assert program.told("textDocument/publishDiagnostics")["diagnostics"] == []
    assert program.end() == 0


def test_quick_fixes_repair_or_silence(editor: Editor, path: Path) -> None:
    editor.open(path, NET)
    repair, silence = editor.actions(path, "quickfix")
    (edit,) = repair["edit"]["changes"][path.as_uri()]
    assert edit["newText"] == "x = x + 1"
    assert edit["range"]["start"] == {"line": 5, "character": COLUMN}
    assert repair["isPreferred"] is True
    (whole,) = silence["edit"]["changes"][path.as_uri()]
    assert whole["newText"] == NET.replace("x += 1", "x += 1  # noqa: HYB302")


def test_all_safe_fixes_at_once(editor: Editor, path: Path) -> None:
    editor.open(path, NET)
    (action,) = editor.actions(path, "source.fixAll")
    (edit,) = action["edit"]["changes"][path.as_uri()]
    assert action["kind"] == "source.fixAll.hybridlint"
    assert edit["newText"] == NET.replace("x += 1", "x = x + 1")
    assert edit["range"] == {"start": {"line": 0, "character": 0}, "end": {"line": 7, "character": 0}}


def test_the_page_of_the_rule_under_the_cursor(editor: Editor, path: Path) -> None:
    editor.open(path, NET)
    where = {"textDocument": {"uri": path.as_uri()}, "position": {"line": 5, "character": COLUMN + 1}}
    told = editor.request("textDocument/hover", where)
    assert told["contents"]["value"].startswith("# in-place-operator (HYB302)")
    elsewhere = {**where, "position": {"line": 0, "character": 0}}
    assert editor.request("textDocument/hover", elsewhere) is None


def test_wrong_settings_are_told(editor: Editor, path: Path) -> None:
    (path.parent / "pyproject.toml").write_text("[tool.hybridlint]\nsellect = []\n", encoding="utf-8")
    document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": NET}
    editor.notify("textDocument/didOpen", {"textDocument": document})
    assert "unknown key `sellect`" in editor.told("window/showMessage")["message"]


def test_a_file_that_is_closed_has_no_findings(editor: Editor, path: Path) -> None:
    editor.open(path, NET)
    editor.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
    assert editor.told("textDocument/publishDiagnostics")["diagnostics"] == []


SHAPED = """\
from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8)

    # hybridlint: shapes(x=("N", 3, 4))
    def hybrid_forward(self, F, x):
        y = self.dense(x)
        count = 3
        return y * count
"""


def _line(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines()) if part in line)


def _hovered(editor: Editor, path: Path, text: str, part: str, inside: int = 0) -> str:
    """Return what is shown above the first place of a part of a text."""
    row = _line(text, part)
    position = {"line": row, "character": text.splitlines()[row].index(part) + inside}
    told = editor.request("textDocument/hover", {"textDocument": {"uri": path.as_uri()}, "position": position})
    return "" if told is None else str(told["contents"]["value"])


def test_what_a_name_holds(editor: Editor, path: Path) -> None:
    editor.open(path, SHAPED)
    assert _hovered(editor, path, SHAPED, "y = self") == (
        "`y`: tensor of shape (N, 8)\n\n"
        "- axis 0, `N`: axis 0 of the argument `x`\n"
        f"- axis 1, `8`: made by `self.dense(x)`, line {_line(SHAPED, 'y = self') + 1}"
    )
    assert _hovered(editor, path, SHAPED, "self.dense(x)", 6) == "`self.dense`: block Dense"
    assert _hovered(editor, path, SHAPED, "self.dense(x)", 11) == "`x`: tensor of shape (N, 3, 4)"
    assert _hovered(editor, path, SHAPED, "count") == "`count`: 3"
    assert _hovered(editor, path, SHAPED, "import") == ""


def test_what_a_name_holds_stands_above_the_page_of_the_rule(editor: Editor, path: Path) -> None:
    text = SHAPED.replace("count = 3", "count = x.shape[0]")
    editor.open(path, text)
    name, _, page = _hovered(editor, path, text, "x.shape").partition("\n\n---\n\n")
    assert name == "`x`: tensor of shape (N, 3, 4)"
    why, _, page = page.partition("\n\n---\n\n")
    assert why.startswith("**HYB101 has no safe fix**: ")
    assert page.startswith("# tensor-shape (HYB101)")


def test_shapes_are_hinted_where_names_are_assigned(editor: Editor, path: Path) -> None:
    editor.open(path, SHAPED)
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 50, "character": 0}}
    asked = {"textDocument": {"uri": path.as_uri()}, "range": everything}
    lines = SHAPED.splitlines()
    hints = [
        (lines[each["position"]["line"]][: each["position"]["character"]].strip(), each["label"])
        for each in editor.request("textDocument/inlayHint", asked)
    ]
    assert sorted(hints) == [("def hybrid_forward(self, F, x", ": (N, 3, 4)"), ("y", ": (N, 8)")]
    none = {**asked, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 3, "character": 0}}}
    assert editor.request("textDocument/inlayHint", none) == []


def test_a_block_is_proved_from_above_it(editor: Editor, path: Path) -> None:
    wrong = SHAPED.replace("return y * count", "return y * y.shape[0]")
    editor.open(path, wrong)
    (lens,) = editor.request("textDocument/codeLens", {"textDocument": {"uri": path.as_uri()}})
    assert lens["range"]["start"] == {"line": _line(wrong, "class Net"), "character": 0}
    assert lens["command"]["title"] == "prove this block"
    (outcome,) = editor.request("workspace/executeCommand", lens["command"])
    assert (outcome["block"], outcome["status"]) == ("Net", "refuted")
    change = {"textDocument": {"uri": path.as_uri(), "version": 2}, "contentChanges": [{"text": SHAPED}]}
    editor.notify("textDocument/didChange", change)
    (outcome,) = editor.request("workspace/executeCommand", lens["command"])
    assert outcome["status"] == "proved"


@pytest.fixture
def able(tmp_path: Path) -> Iterator[Editor]:
    """An editor that watches files and asks for lenses again, as the server wants."""
    watching = {"didChangeWatchedFiles": {"dynamicRegistration": True}, "codeLens": {"refreshSupport": True}}
    editor = Editor(tmp_path, commands.started(["server"], cwd=tmp_path), {"workspace": watching})
    yield editor
    editor.kill()


def test_settings_that_change_take_effect_without_an_edit(able: Editor, path: Path) -> None:
    (wanted,) = able.told("client/registerCapability")["registrations"]
    assert wanted["method"] == "workspace/didChangeWatchedFiles"
    (watcher,) = wanted["registerOptions"]["watchers"]
    names = {".hybridlint.toml", "hybridlint.toml", "pyproject.toml", "hybridlint-baseline.json"}
    assert set(watcher["globPattern"].removeprefix("**/{").removesuffix("}").split(",")) == names
    assert len(able.open(path, NET)) == 1
    settings = path.parent / "pyproject.toml"
    settings.write_text('[tool.hybridlint]\nignore = ["HYB302"]\n', encoding="utf-8")
    able.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": settings.as_uri(), "type": 1}]})
    assert able.told("textDocument/publishDiagnostics")["diagnostics"] == []
    settings.unlink()
    able.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": settings.as_uri(), "type": 3}]})
    assert len(able.told("textDocument/publishDiagnostics")["diagnostics"]) == 1


def test_the_outcome_of_a_proof_stands_above_the_block_and_at_its_line(able: Editor, path: Path) -> None:
    wrong = SHAPED.replace("return y * count", "return y * y.shape[0]")
    able.open(path, wrong)
    asked = {"textDocument": {"uri": path.as_uri()}}
    (lens,) = able.request("textDocument/codeLens", asked)
    (outcome,) = able.request("workspace/executeCommand", lens["command"])
    (lens,) = able.request("textDocument/codeLens", asked)
    assert lens["command"]["title"].startswith("refuted: ")
    # Told again, with the findings as they are.
    able.notify("textDocument/didSave", asked)
    told = able.told("textDocument/publishDiagnostics")["diagnostics"]
    (proof,) = [each for each in told if each["source"] == "hybridlint proof"]
    assert (proof["code"], proof["severity"]) == ("refuted", 1)
    assert proof["range"]["start"]["line"] == (outcome["failed_row"] or outcome["row"]) - 1
    change = {"textDocument": {"uri": path.as_uri(), "version": 2}, "contentChanges": [{"text": SHAPED}]}
    able.notify("textDocument/didChange", change)
    assert able.told("textDocument/publishDiagnostics")["diagnostics"] == []
    (lens,) = able.request("textDocument/codeLens", asked)
    assert lens["command"]["title"] == "prove this block", "the outcome is one of another text"
    able.request("workspace/executeCommand", lens["command"])
    (lens,) = able.request("textDocument/codeLens", asked)
    assert lens["command"]["title"].startswith("proved: ")


TWO_BLOCKS = NET.replace("s = '\U00010348'; x += 1", "x += 1\n        x *= 2") + (
    NET.partition("\n\n\n")[2]
    .replace("s = '\U00010348'; x += 1", "x += x.shape[0]")
    .replace("class Net", "\n\nclass Other")
)


def _actions_at(editor: Editor, path: Path, text: str, part: str) -> Any:
    row = _line(text, part)
    place = {"line": row, "character": text.splitlines()[row].index(part)}
    params = {"textDocument": {"uri": path.as_uri()}, "range": {"start": place, "end": place}}
    return editor.request("textDocument/codeAction", {**params, "context": {"diagnostics": []}})


def test_the_fixes_of_one_block_are_one_action(editor: Editor, path: Path) -> None:
    editor.open(path, TWO_BLOCKS)
    found = {action["title"]: action for action in _actions_at(editor, path, TWO_BLOCKS, "x += 1")}
    (edit,) = found["hybridlint: apply all safe fixes in Net"]["edit"]["changes"][path.as_uri()]
    assert edit["newText"] == TWO_BLOCKS.replace("x += 1", "x = x + 1").replace("x *= 2", "x = x * 2")
    titles = [action["title"] for action in _actions_at(editor, path, TWO_BLOCKS, "x += x")]
    assert not any("safe fixes in" in title for title in titles), "a single fix is a quick fix"


def test_why_there_is_no_safe_fix(editor: Editor, path: Path) -> None:
    editor.open(path, TWO_BLOCKS)
    found = {action["title"]: action for action in _actions_at(editor, path, TWO_BLOCKS, "x.shape[0]")}
    (reason,) = found["HYB101: why is there no safe fix?"]["command"]["arguments"]
    assert reason.startswith("HYB101 has no safe fix: ")
    (tried,) = found["HYB302: why is there no safe fix?"]["command"]["arguments"]
    assert tried.startswith("HYB302 has no safe fix: its fix rests on a guess about the code")
    editor.request("workspace/executeCommand", found["HYB101: why is there no safe fix?"]["command"])
    assert "HYB101 has no safe fix: " in _hovered(editor, path, TWO_BLOCKS, "x.shape[0]").replace("**", "")
    assert "no safe fix" not in _hovered(editor, path, TWO_BLOCKS, "x += 1")


def test_what_other_files_say_is_read_again_on_saving(editor: Editor, path: Path) -> None:
    helper = path.parent / "parts.py"
    helper.write_text("def part(F, x):\n    return F.relu(x)\n", encoding="utf-8")
    text = NET.replace("s = '\U00010348'; x += 1", "x = part(F, x)").replace(
        "\n\n\n", "\nfrom parts import part\n\n\n", 1
    )
    assert editor.open(path, text) == []
    helper.write_text("def part(F, x):\n    return F.relu(x) * x.shape[0]\n", encoding="utf-8")
    editor.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
    (found,) = editor.told("textDocument/publishDiagnostics")["diagnostics"]
    assert found["code"] == "HYB101"


def _open_notebook(editor: Editor, notebook: str, texts: list[str]) -> list[str]:
    """Open a notebook whose first cell is prose and whose others are Python; return the addresses of its cells."""
    uris = [f"{notebook}#cell{number}" for number in range(len(texts))]
    opened = {
        "notebookDocument": {
            "uri": notebook,
            "notebookType": "jupyter-notebook",
            "version": 1,
            "cells": [{"kind": 1 if uri == uris[0] else 2, "document": uri} for uri in uris],
        },
        "cellTextDocuments": [
            {"uri": uri, "languageId": "python", "version": 1, "text": text}
            for uri, text in list(zip(uris, texts, strict=True))[1:]
        ],
    }
    editor.notify("notebookDocument/didOpen", opened)
    return uris


def test_cells_have_hints_and_tell_what_names_hold(editor: Editor, path: Path) -> None:
    imports, _, net = SHAPED.partition("\n\n\n")
    texts = ["# A lesson", f"%matplotlib inline\n{imports}", net]
    uris = _open_notebook(editor, (path.parent / "lesson.ipynb").as_uri(), texts)
    asked = {
        "textDocument": {"uri": uris[2]},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 50, "character": 0}},
    }
    lines = net.splitlines()
    hints = [
        (lines[each["position"]["line"]][: each["position"]["character"]].strip(), each["label"])
        for each in editor.request("textDocument/inlayHint", asked)
    ]
    assert sorted(hints) == [("def hybrid_forward(self, F, x", ": (N, 3, 4)"), ("y", ": (N, 8)")]
    assert editor.request("textDocument/inlayHint", {**asked, "textDocument": {"uri": uris[1]}}) == []
    where = {"line": _line(net, "y = self"), "character": 8}
    told = editor.request("textDocument/hover", {"textDocument": {"uri": uris[2]}, "position": where})
    assert told["contents"]["value"] == (
        "`y`: tensor of shape (N, 8)\n\n- axis 0, `N`: axis 0 of the argument `x`\n"
        f"- axis 1, `8`: made by `self.dense(x)`, line {_line(net, 'y = self') + 1}"
    )


def test_the_cells_of_a_notebook_are_one_program(editor: Editor, path: Path) -> None:
    notebook = (path.parent / "lesson.ipynb").as_uri()
    texts = [
        "# A lesson",
        "%matplotlib inline\nfrom mxnet.gluon import HybridBlock",
        NET.partition("\n\n\n")[2].rstrip(),
    ]
    uris = _open_notebook(editor, notebook, texts)
    told = [editor.told("textDocument/publishDiagnostics") for _ in range(2)]
    assert [(each["uri"], [found["code"] for found in each["diagnostics"]]) for each in told] == [
        (uris[1], []),
        (uris[2], ["HYB302"]),
    ]
    (found,) = told[1]["diagnostics"]
    assert found["range"]["start"] == {"line": 2, "character": COLUMN}
    asked = {"textDocument": {"uri": uris[2]}, "range": found["range"], "context": {"diagnostics": []}}
    actions = editor.request("textDocument/codeAction", asked)
    edits = {action["kind"]: action["edit"]["changes"] for action in actions if "silence" not in action["title"]}
    assert edits["quickfix"][uris[2]][0]["newText"] == "x = x + 1"
    assert edits["source.fixAll.hybridlint"][uris[2]][0]["newText"].rstrip() == texts[2].replace("x += 1", "x = x + 1")
    edited = {
        "notebookDocument": {"uri": notebook, "version": 2},
        "change": {
            "cells": {
                "textContent": [
                    {
                        "document": {"uri": uris[2], "version": 2},
                        "changes": [{"range": found["range"], "text": "x = x + 1"}],
                    }
                ]
            }
        },
    }
    editor.notify("notebookDocument/didChange", edited)
    told = [editor.told("textDocument/publishDiagnostics") for _ in range(2)]
    assert [each["diagnostics"] for each in told] == [[], []]
