"""The results of an operator that may have one output or several: a list eagerly, and never one at the trace."""

from __future__ import annotations

from pathlib import Path

import pytest

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
