"""The fixer of a number that is stored at one end of an axis."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.text.source import SourceFile

NET = """from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def __init__(self, border):
        super().__init__()
        self.border = border

    def hybrid_forward(self, F, x):
        y = F.relu(x)
        y[{}] = {}
        return y
"""


def fixed(key: str, value: str, *, unsafe: bool = True) -> str:
    text = fix_source(SourceFile(Path("net.py"), NET.format(key, value)), analyze_file, unsafe=unsafe).source.text
    return " ".join(text.partition("y = F.relu(x)")[2].replace(",\n", ", ").replace("(\n", "(").split())


@pytest.mark.parametrize(
    ("key", "value", "after"),
    [
        (
            ":, :self.border",
            "0",
            "F.zeros_like(F.slice_axis(y, axis=1, begin=0, end=self.border)), "
            "F.slice_axis(y, axis=1, begin=self.border, end=None), dim=1",
        ),
        (
            ":, :, -self.border:",
            "1",
            "F.slice_axis(y, axis=2, begin=0, end=-self.border), "
            "F.ones_like(F.slice_axis(y, axis=2, begin=-self.border, end=None)), dim=2",
        ),
        (
            "-2:",
            "0.5",
            "F.slice_axis(y, axis=0, begin=0, end=-2), "
            "F.ones_like(F.slice_axis(y, axis=0, begin=-2, end=None)) * 0.5, dim=0",
        ),
    ],
)
def test_a_part_filled_with_the_number_stands_beside_the_rest(key: str, value: str, after: str) -> None:
    assert after in fixed(key, value)


def test_it_is_unsafe_as_the_bound_may_lie_outside_of_the_axis() -> None:
    assert "concat" not in fixed(":, :self.border", "0", unsafe=False)


@pytest.mark.parametrize("key", [":self.border, 0", ":, :next(rows)", ":, ::2"])
def test_other_keys_stay(key: str) -> None:
    assert f"y[{key}] = 0" in fixed(key, "0")
