"""The page for editors: what it configures is what the command and the server have."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest

import hybridlint
from hybridlint.report import formats
from hybridlint.report.report_options import ReportOptions

DOCS = Path(__file__).parents[1] / "docs"
pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="runs in a checkout only")

NET = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        return x.T
"""


def _json_blocks() -> list[object]:
    text = (DOCS / "editors.md").read_text(encoding="utf-8")
    return [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL)]


def test_the_pattern_of_the_task_reads_what_is_printed() -> None:
    _, tasks = _json_blocks()
    assert isinstance(tasks, dict)
    pattern = tasks["tasks"][0]["problemMatcher"]["pattern"]
    shown = formats.load("concise").render([hybridlint.check_source(NET, "src/net.py")], ReportOptions())
    found = re.match(pattern["regexp"], click.unstyle(shown).splitlines()[0])
    assert found is not None
    assert [found[pattern[part]] for part in ("file", "line", "column", "code")] == ["src/net.py", "6", "16", "HYB104"]


def test_fixes_on_saving_are_an_action_of_the_server() -> None:
    pytest.importorskip("pygls")
    from hybridlint.frontends.server.actions import FIX_ALL

    on_saving, _ = _json_blocks()
    assert isinstance(on_saving, dict)
    assert list(on_saving["[python]"]["editor.codeActionsOnSave"]) == [FIX_ALL]
    assert f'"{FIX_ALL}"' in (DOCS / "editors.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("editor", ["VS Code", "Neovim", "Emacs", "PyCharm"])
def test_each_editor_starts_the_server(editor: str) -> None:
    text = (DOCS / "editors.md").read_text(encoding="utf-8")
    section = re.split(r"^## ", text, flags=re.MULTILINE)
    (own,) = [part for part in section if part.startswith(f"{editor}\n")]
    assert re.search(r'"hybridlint",? "server"|`hybridlint server`|": \["server"\]', own)
    assert "The tests run the server" in own


EXTENSION = DOCS.parent / "editors" / "vscode"


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_the_extension_finds_the_python_of_a_workspace() -> None:
    command = ["node", "test/units.js"]
    done = subprocess.run(command, cwd=EXTENSION, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_extension_has_the_version_of_the_program() -> None:
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    assert manifest["version"] == hybridlint.__version__
    assert manifest["activationEvents"] == ["onLanguage:python"]
    assert all(
        setting.get("default") == "" for setting in manifest["contributes"]["configuration"]["properties"].values()
    )
