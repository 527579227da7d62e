"""The results of an operator that may have one output or several: a list eagerly, and never one at the trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile
from tests.analysis.test_templates import rows

HEAD = """from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def __init__(self, n):
        super().__init__()
        self.n = n

    def hybrid_forward(self, F, x):
        parts = F.split(x, num_outputs=self.n, axis=0)
"""

ASKED = {
    "one way or the other": "        if isinstance(parts, list):\n            return parts\n        return [parts]\n",
    "the other first": (
        "        if not isinstance(parts, (list, tuple)):\n            return [parts]\n        return parts\n"
    ),
    "by the type": (
        "        if type(parts) is list:\n            return parts\n        else:\n            return [parts]\n"
    ),
    "wrapped": (
        "        parts = parts if isinstance(parts, list) else [parts]\n        return F.concat(*parts, dim=1)\n"
    ),
    "in a function": (
        "        def listed(y):\n            if isinstance(y, list):\n                return y\n"
        "            return [y]\n"
        "        return F.concat(*listed(parts), dim=1)\n"
    ),
}


@pytest.mark.parametrize("body", ASKED.values(), ids=ASKED.keys())
def test_a_graph_node_of_several_outputs_is_no_list(tmp_path: Path, body: str) -> None:
    assert [code for code, _ in rows(tmp_path, HEAD + body)] == ["HYB406"]


def test_a_test_that_no_result_passes_changes_nothing(tmp_path: Path) -> None:
    body = "        if isinstance(parts, (list, tuple)) or self.n > 1:\n            return [F.relu(p) for p in parts]\n"
    assert rows(tmp_path, HEAD + body + "        return parts\n") == []


def test_the_number_of_outputs_may_be_asked(tmp_path: Path) -> None:
    body = "        if self.n == 1:\n            return [parts]\n        return [p for p in parts]\n"
    assert rows(tmp_path, HEAD + body) == []


def test_outputs_that_later_steps_replace_by_lists_are_listed_where_they_are_made(tmp_path: Path) -> None:
    body = "        for _ in range(3):\n            parts = parts[::-1]\n"
    body += "            parts = [F.relu(parts[0]), parts[1]]\n"
    (tmp_path / "net.py").write_text(HEAD + body + "        return F.concat(*parts, dim=0)\n", encoding="utf-8")
    (finding,) = analyze_file(SourceFile.read(tmp_path / "net.py"))
    assert finding.fix is not None
    assert [edit.content for edit in finding.fix.edits] == ["list(F.split(x, num_outputs=self.n, axis=0))"]
