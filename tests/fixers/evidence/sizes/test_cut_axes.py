"""The axes of parts of a tensor."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.sizes.axis_size import TensorAxes
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from tests.fixers.bodies import met, named

#: A size that is equal to itself alone.
OTHER = "other"


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("x[0]", ["x[1]", "x[2]"]),
        ("x[:, 1]", ["x[0]", "x[2]"]),
        ("x[:, n:n + 1]", ["x[0]", "1", "x[2]"]),
        ("x[:, n:n + 2]", ["x[0]", OTHER, "x[2]"]),
        ("x[:, ::2]", ["x[0]", OTHER, "x[2]"]),
        ("x[y]", None),
        ("x[:, 1, 2, 3]", None),
        ("F.slice_axis(x, axis=1, begin=n, end=n + 1)", ["x[0]", "1", "x[2]"]),
        ("F.slice_axis(x, axis=-1, begin=n, end=None)", ["x[0]", "x[1]", OTHER]),
        ("F.slice_axis(x, axis=1, begin=0, end=None)", ["x[0]", OTHER, "x[2]"]),
        ("F.slice(x, begin=(None, n), end=(None, n + 1))", ["x[0]", "1", "x[2]"]),
        ("x.slice_axis(axis=3, begin=0, end=1)", None),
    ],
)
def test_the_axes_of_a_part(text: str, sizes: list[str] | None) -> None:
    frame = met(f"a, b, c = x.shape\nn = self.n\nreturn {text}")
    axes = SizeInference(frame).axes(named(frame, ast.unparse(ast.parse(text, mode="eval").body)))
    assert _named(axes) == sizes


def _named(axes: TensorAxes | None) -> list[str] | None:
    if axes is None:
        return None
    sizes = (size.factors for size in axes.sizes)
    return [OTHER if any("?" in factor for factor in factors) else "*".join(factors) or "1" for factors in sizes]
