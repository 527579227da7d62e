"""Functions of `operator`, which are evaluated as the syntax that they stand for."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

NET = """
import operator

from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        name = f"{{self.name}}_first"
        return operator.getitem(F.relu(x, name=name), {key})
"""


@pytest.mark.parametrize("key", ["(slice(None), 0)", "slice(1, None)", "x > 0"])
def test_an_item_is_found_beside_formatted_strings(key: str) -> None:
    """Positions in such files are checked, and what is not in the file is parsed again from its own text."""
    found = list(analyze_file(SourceFile(Path("net.py"), NET.format(key=key))))
    assert [one.rule.code for one in found] == ["HYB202"]
    assert all(one.fix is None for one in found)
