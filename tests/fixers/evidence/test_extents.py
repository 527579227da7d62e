"""Sizes of axes as products of named sizes, settings and numbers."""

from __future__ import annotations

import pytest

from hybridlint.fixers.evidence.extents import Extent, Extents, product, shape_read, stores_of
from tests.fixers.bodies import met, named

SIZES = {
    "of an axis": ("z = x.shape[1]", "x.shape[1]", Extent(("x[1]",))),
    "by a name": ("k = x.shape[1]\nz = k * 2", "k * 2", Extent(("2", "x[1]"))),
    "unpacked": ("a, b = x.shape\nz = a * b", "a * b", Extent(("x[0]", "x[1]"))),
    "a part of an axis": ("a, b = x.shape\nz = b // 6", "b // 6", Extent(("x[1]",), ("2", "3"))),
    "a setting": ("z = self.heads * 4", "self.heads * 4", Extent(("2", "2", "self.heads"))),
    "the length": ("z = len(x)", "len(x)", Extent(("x[0]",))),
    "a code": ("z = -1", "-1", None),
    "a sum": ("z = x.shape[0] + 1", "x.shape[0] + 1", None),
    "a name that is bound twice": ("k = x.shape[0]\nk = 3\nz = k * 2", "k * 2", None),
}


@pytest.mark.parametrize(("body", "text", "size"), SIZES.values(), ids=SIZES.keys())
def test_sizes(body: str, text: str, size: Extent | None) -> None:
    frame = met(f"{body}\nreturn F.relu(x) * z")
    assert Extents(frame).size(named(frame, text)) == size


AXES = {
    "of an element-wise result": ("F.relu(x) * 2", ["x[0]", "x[1]"]),
    "transposed": ("x.transpose((1, 0))", ["x[1]", "x[0]"]),
    "reshaped": ("x.reshape((b, a))", ["x[1]", "x[0]"]),
}


@pytest.mark.parametrize(("text", "sizes"), AXES.values(), ids=AXES.keys())
def test_axes(text: str, sizes: list[str]) -> None:
    frame = met(f"a, b = x.shape\nz = {text}\nreturn z")
    axes = Extents(frame).axes(named(frame, text))
    assert axes is not None
    assert [size.factors for size in axes.sizes[:2]] == [(size,) for size in sizes]


def test_common_factors_cancel() -> None:
    heads, units = Extent(("self.heads",)), Extent(("self.units",))
    assert product([units // heads, heads]) == units
    assert not units.sized
    assert Extent(("x[0]",)).sized


@pytest.mark.parametrize(("text", "first"), [("x.shape", 0), ("x.shape[1:]", 1), ("x.shape[::2]", None), ("x.T", None)])
def test_reads_of_a_shape(text: str, first: int | None) -> None:
    frame = met(f"z = {text}\nreturn x")
    found = shape_read(named(frame, text))
    assert (found and (found[0].id, found[1])) == (None if first is None else ("x", first))


def test_places_that_bind_a_name() -> None:
    frame = met("z = x\nfor z in y:\n    pass\nreturn x")
    assert [node.lineno - stores_of(frame, "z")[0].lineno for node in stores_of(frame, "z")] == [0, 1]
