"""Axes of what one expression makes of tensors, as a reader shows them."""

from __future__ import annotations

import pytest

from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from tests.fixers.bodies import met, named

AXES = {
    "of an element-wise result": ("F.relu(x) * 2", ["x[0]", "x[1]"]),
    "transposed": ("x.transpose((1, 0))", ["x[1]", "x[0]"]),
    "reshaped": ("x.reshape((b, a))", ["x[1]", "x[0]"]),
}


@pytest.mark.parametrize(("text", "sizes"), AXES.values(), ids=AXES.keys())
def test_axes(text: str, sizes: list[str]) -> None:
    frame = met(f"a, b = x.shape\nz = {text}\nreturn z")
    axes = SizeInference(frame).axes(named(frame, text))
    assert axes is not None
    assert [size.factors for size in axes.sizes[:2]] == [(size,) for size in sizes]


TUPLES = {
    "an item": ("x[0]", ["x[1]", "x[2]"]),
    "multiplied with a setting": ("x * 0.5", ["x[0]", "x[1]", "x[2]"]),
    "a product of matrices": ("F.np.matmul(x, F.np.swapaxes(x, 1, 2))", ["x[0]", "x[1]", "x[1]"]),
    "one of several that are bound": ("q", ["x[1]", "x[2]"]),
}


@pytest.mark.parametrize(("text", "sizes"), TUPLES.values(), ids=TUPLES.keys())
def test_axes_of_parts(text: str, sizes: list[str]) -> None:
    frame = met(f"a, b, c = x.shape\nq, k = x[0], x[1]\nz = {text}\nreturn z")
    axes = SizeInference(frame).axes(named(frame, text))
    assert axes is not None
    assert [size.factors for size in axes.sizes] == [(size,) for size in sizes]


def test_each_expression_of_a_chain_is_read_once() -> None:
    """Twelve sums of a tensor with itself would otherwise be read four thousand times."""
    doubled = "\n".join(["y = F.broadcast_add(x, x)", *["y = F.broadcast_add(y, y)"] * 11])
    frame = met(f"a, b = x.shape\n{doubled}\nz = F.relu(y)\nreturn z")
    reader = SizeInference(frame)
    axes = reader.axes(named(frame, "F.relu(y)"))
    assert axes is not None
    assert [size.factors for size in axes.sizes] == [("x[0]",), ("x[1]",)]
    assert len(reader.found.axes) < 100
