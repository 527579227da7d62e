"""Shapes that docstrings declare, and what of them is taken for certain."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.analysis.mxnet.inputs.docstrings import documented_shapes
from hybridlint.checking.findings import analyze_file
from hybridlint.runtime.facts.dims import Dim
from hybridlint.text.source import SourceFile

SURE = {
    "- **data**: input tensor with shape `(batch_size, in_units)`.": ("batch_size", "in_units"),
    "- **data**: 4D input tensor with shape\n          `(batch_size, 3, height, width)` when read in rows": None,
    "- **data**: 4D input tensor with shape\n          `(batch_size, 3, height, width)`": (
        "batch_size",
        3,
        "height",
        "width",
    ),
    "- **data** : a tensor of shape (N,)": ("n",),
    "- **data**: input tensor with arbitrary shape.": None,
    "- **data**: a list of tensors, each with shape (N, C)": None,
    "- **data**: input tensor with shape (N, C) or (N, C, H).": None,
    "- **data**: input tensor with the same shape as `out`.": None,
    "- data: input tensor with shape (N, C), not marked as inputs are.": None,
}


@pytest.mark.parametrize("line", SURE)
def test_what_is_said_in_one_way_is_taken(line: str) -> None:
    found = documented_shapes(
        f"A layer.\n\n    Inputs:\n        {line}\n\n    Outputs:\n        - **out**: shape (1, 2)\n"
    )
    expected = SURE[line]
    sizes = None if expected is None else tuple(Dim.named(s) if isinstance(s, str) else s for s in expected)
    assert found == ({} if sizes is None else {"data": sizes})


def test_a_name_that_is_no_size_is_an_unknown_one() -> None:
    (shape,) = documented_shapes("Inputs:\n    - **x**: tensor of shape (N, 1+k)\n").values()
    assert shape[0] == Dim.named("n")
    assert isinstance(shape[1], Dim)


def test_the_analysis_goes_on_from_it() -> None:
    text = '''
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    """A layer.

    Inputs:
        - **x**: input tensor with shape `(batch_size, 8, 4)`.
        - **y**: input tensor with shape `(batch_size, 1, 4)`.
    """

    def hybrid_forward(self, F, x, y):
        return x + y
'''
    (found,) = analyze_file(SourceFile(Path("net.py"), text))
    assert found.rule.code == "HYB301"
    assert "(batch_size, 8, 4)" in found.message
