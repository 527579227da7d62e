"""Axes of the tensors that names hold."""

from __future__ import annotations

import pytest

from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from tests.fixers.bodies import met, named


def test_each_part_of_a_split_has_its_axes() -> None:
    frame = met("b, t, c = x.shape\nq, k = F.split(x, num_outputs=2, axis=2)\nz = k * 2\nreturn z * y[0]")
    axes = SizeInference(frame).axes(named(frame, "k * 2"))
    assert axes is not None
    assert [size.factors for size in axes.sizes[:2]] == [("x[0]",), ("x[1]",)]


VERSIONS = {
    "an argument": ("z = x * 2", ["x[0]", "x[1]"]),
    "bound to another value": ("x = y\nz = x * 2", ["y[0]", "y[1]"]),
    "bound in a loop": ("for k in range(3):\n    x = y\nz = x * 2", None),
    "bound in the branch that reads it": ("if self.training:\n    x = y\n    z = x * 2", ["y[0]", "y[1]"]),
}


@pytest.mark.parametrize(("body", "sizes"), VERSIONS.values(), ids=VERSIONS.keys())
def test_a_name_has_the_axes_of_what_it_was_bound_to_last(body: str, sizes: list[str] | None) -> None:
    frame = met(f"{body}\nreturn F.relu(x) * y[0]")
    axes = SizeInference(frame).axes(named(frame, "x * 2"))
    assert axes is not None
    found = [size.factors for size in axes.sizes[:2]]
    if sizes is None:
        assert all(factor.startswith("x@") for factors in found for factor in factors)
    else:
        assert found == [(size,) for size in sizes]
