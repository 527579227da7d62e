"""Functions of two tensors or a tensor and a number: ``F.maximum``, ``F.power`` and the others have a shape, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

NET = """
from mxnet.gluon import nn


class Net(nn.HybridBlock):
    # hybridlint: shapes(x=("N", 3), y=("N", 3), b=(3,))
    def hybrid_forward(self, F, x, y, b):
        return {result}
"""


def _codes(result: str) -> set[str]:
    found = analyze_file(SourceFile(Path("net.py"), NET.format(result=result)))
    return {finding.rule.code for finding in found} - {"HYB806"}


@pytest.mark.parametrize("operand", ["F.maximum(x, y)", "F.minimum(x, 2)", "F.power(2, x)", "F.hypot(x, y)", "x ** y"])
def test_the_result_has_the_shape_of_the_tensors(operand: str) -> None:
    assert _codes(f"{operand} + b") == {"HYB301"}
    assert _codes(f"{operand} + y") == set()


def test_a_maximum_of_columns_is_a_column() -> None:
    text = NET.replace('    # hybridlint: shapes(x=("N", 3), y=("N", 3), b=(3,))\n', "")
    column = "y.reshape((1, 1, self.k, 1)).broadcast_to((1, 17, self.k, 1))"
    result = f"x.min(axis=3).expand_dims(-1) > F.maximum({column}, {column})"
    found = analyze_file(SourceFile(Path("net.py"), text.format(result=result)))
    assert [finding.rule.code for finding in found if finding.rule.code != "HYB806"] == []
