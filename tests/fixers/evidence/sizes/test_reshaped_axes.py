"""Axes of reshaped tensors."""

from __future__ import annotations

import pytest

from hybridlint.fixers.evidence.sizes.axis_size import AxisSize
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from tests.fixers.bodies import met, named

X = [AxisSize((f"x[{axis}]",)) for axis in range(3)]
THREE = AxisSize(("3",))

RESHAPES = {
    "an axis kept": ("x.reshape((0, 3, -1))", [X[0], THREE, X[1] * X[2] // THREE]),
    "two axes merged": ("x.reshape((-3, 0))", [X[0] * X[1], X[2]]),
    "an axis split": ("x.reshape((0, 0, -4, 3, -1))", [X[0], X[1], THREE, X[2] // THREE]),
    "sizes by name": ("F.reshape(x, shape=(c, b, a))", [X[2], X[1], X[0]]),
    "counted from the end": ("x.reshape((-1, 0), reverse=True)", [X[0] * X[1], X[2]]),
}


@pytest.mark.parametrize(("text", "sizes"), RESHAPES.values(), ids=RESHAPES.keys())
def test_codes_give_sizes(text: str, sizes: list[AxisSize]) -> None:
    frame = met(f"a, b, c = x.shape\nz = {text}\nreturn z")
    axes = SizeInference(frame).axes(named(frame, text))
    assert axes is not None
    assert axes.whole
    assert list(axes.sizes) == sizes


def test_an_unknown_size_ends_what_is_known() -> None:
    frame = met("a, b, c = x.shape\nz = x.reshape((a, b + 1, c))\nreturn z")
    axes = SizeInference(frame).axes(named(frame, "x.reshape((a, b + 1, c))"))
    assert axes is not None
    assert not axes.whole
    assert list(axes.sizes) == X[:1]
