"""Where the axes of a tensor come from, as an editor tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.pipeline import Pipeline, PipelineSteps
from hybridlint.checking.session import CheckSession

BLOCK = """\
from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8)
        self.weight = self.params.get("weight", shape=(8, 4))

    # hybridlint: shapes(x=("N", 3, 4))
    def hybrid_forward(self, F, x, weight):
        {body}
        return z
"""


def _axes(body: str, name: str = "z") -> list[str]:
    """Return what is told of the axes of a name where it is last assigned."""
    data = BLOCK.format(body=body.replace("\n", "\n        ")).encode()
    known = Pipeline(CheckSession(use_cache=False), PipelineSteps()).inferred(Path("net.py"), data)
    bound = [each for each in known if each.text == name and each.bound]
    return [f"{axis.size}: {axis.origin}" for axis in max(bound, key=lambda each: each.location.row).axes]


X0, X1, X2 = (f"axis {number} of the argument `x`" for number in range(3))


@pytest.mark.parametrize(
    ("body", "axes"),
    [
        ("z = F.relu(x) * 2", [f"N: {X0}", f"3: {X1}", f"4: {X2}"]),
        ("z = self.dense(x)", [f"N: {X0}", "8: made by `self.dense(x)`"]),
        ("y = self.dense(x)\nz = -y", [f"N: {X0}", "8: made by `self.dense(x)`"]),
        ("y = self.dense(x)\nz = F.dot(y, weight)", [f"N: {X0}", "4: made by `F.dot(y, weight)`"]),
        ("z = x.expand_dims(0)", ["1: made by `x.expand_dims(0)`", f"N: {X0}"]),
        ("z = F.concat(x, x, dim=0)", ["2*N: made by `F.concat(x, x, dim=0)`"]),
        ("z = weight + 1", ["8: axis 0 of the parameter `weight`", "4: axis 1 of the parameter `weight`"]),
        ("y, z = F.split(x, 2, axis=2)\nz = z + 1", [f"N: {X0}", "3: made by `F.split(x, 2, axis=2)`"]),
    ],
)
def test_each_axis_is_followed_to_where_its_size_appears(body: str, axes: list[str]) -> None:
    assert _axes(body)[: len(axes)] == axes


def test_an_argument_has_its_axes_from_nowhere_else() -> None:
    assert _axes("z = x", "x") == []


def test_two_equal_numbers_are_not_taken_for_one_size() -> None:
    told = _axes("y = x.reshape((4, 4, -1))\nz = y.transpose((1, 0, 2))")
    assert told[:2] == ["4: made by `y.transpose((1, 0, 2))`"] * 2


def test_a_name_with_several_values_is_where_following_ends() -> None:
    told = _axes("y = x\nif self.training:\n    y = F.relu(x)\nz = y * 2")
    assert told == ["N: axis 0 of `y`", "3: axis 1 of `y`", "4: axis 2 of `y`"]
