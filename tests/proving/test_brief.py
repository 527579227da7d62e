"""The brief: what the parent tells the worker of the source, and what the worker still reads itself."""

from __future__ import annotations

import ast
import json
from pathlib import Path

from hybridlint.proving.brief.writer import module_changes, write_brief
from hybridlint.proving.child.brief.brief import Brief, read_brief
from hybridlint.proving.child.brief.changes import Setting
from hybridlint.proving.read_set import ReadSet
from tests.house import PACKAGE

NET = """
from parts import helper

class Net(nn.HybridBlock):
    def __init__(self, units, kind="relu"):
        super().__init__()
        self.dense, self.rate = nn.Dense(units), 0.5

    def warm(self):
        self.rate += 0.1

    def hybrid_forward(self, F, x, *states):
        for state in states:
            x = x + F.log(state)
        return helper(F, self.dense(x)) if self.rate > LIMIT else x

LIMIT = 3
Net(4)(nd.ones((2, 3)))

def net():
    return Net(5)
"""


def _brief(folder: Path, read: ReadSet | None = None) -> Brief:
    (folder / "parts.py").write_text("def helper(F, x):\n    return F.transpose(x, (1, 0))\n")
    (folder / "user.py").write_text("from net import Net\nNet(7, kind='tanh')\n")
    return read_brief(json.loads(json.dumps(write_brief(folder / "net.py", "net", NET, None, read or ReadSet()))))


def test_a_brief_is_the_same_after_it_went_through_json(tmp_path: Path) -> None:
    brief = _brief(tmp_path)
    assert brief.before == module_changes(NET)
    assert [change.setting for change in brief.before.of("Net").settings] == [Setting("rate", step="warm")]
    [forward] = [
        facts.inputs for facts in brief.code[str(tmp_path / "net.py")].functions.values() if facts.inputs.lists
    ]
    assert (forward.lists, forward.positive, forward.through) == (("states",), ("state",), True)


def test_each_hint_says_where_it_comes_from(tmp_path: Path) -> None:
    known = _brief(tmp_path).construction
    assert [site.origin for site in known.calls["Net"]] == ["net.py:18", "net.py:21", "user.py:2"]
    assert [call.origin for call in known.written["Net"]] == ["net.py:18"]
    assert [(builder.origin, builder.call) for builder in known.builders] == [("net.py:20", "net()")]


def test_an_outcome_rests_on_the_files_that_its_brief_is_written_from(tmp_path: Path) -> None:
    read = ReadSet()
    assert str(tmp_path / "parts.py") in _brief(tmp_path, read).code
    assert read.files == {str(tmp_path / "parts.py"), str(tmp_path / "user.py")}
    assert read.folders == {str(tmp_path)}


def test_names_are_followed_through_what_a_package_exports(tmp_path: Path) -> None:
    package = tmp_path / "zoo"
    package.mkdir()
    (package / "__init__.py").write_text("from .blocks import *\nfrom . import other\n")
    (package / "blocks.py").write_text("from .base import Base\n")
    (package / "base.py").write_text("class Base:\n    pass\n")
    (package / "other.py").write_text("class Other:\n    pass\n")
    text = "from zoo import Base\n"
    brief = read_brief(write_brief(tmp_path / "net.py", "net", text, None, ReadSet()))
    assert {Path(path).name for path in brief.code} == {"net.py", "blocks.py", "base.py"}


#: The files that run a module statement by statement, that change guessed expressions, and that read modules of which
#: only a pass tells whether they change its state.
PARSING = {
    *("build/distinct_numbers.py", "build/loading.py", "build/module_statements.py", "changes/project_sources.py"),
    *("changes/source_functions.py", "changes/source_nodes.py", "changes/source_terms.py"),
}


def test_the_worker_parses_no_more_source() -> None:
    child = PACKAGE / "proving" / "child"
    importing = {
        str(path.relative_to(child))
        for path in child.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import) and any(alias.name == "ast" for alias in node.names)
    }
    assert importing == PARSING
