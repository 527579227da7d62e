"""Sizes of axes as products of named sizes, settings and numbers."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.fixers.evidence.extent import Extent, product
from hybridlint.fixers.evidence.extents import Extents, shape_read
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import met, named

HEAD = "from mxnet.gluon import HybridBlock, nn\n\n\n"

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


TUPLES = {
    "an item": ("x[0]", ["x[1]", "x[2]"]),
    "multiplied with a setting": ("x * 0.5", ["x[0]", "x[1]", "x[2]"]),
    "a product of matrices": ("F.np.matmul(x, F.np.swapaxes(x, 1, 2))", ["x[0]", "x[1]", "x[1]"]),
    "one of several that are bound": ("q", ["x[1]", "x[2]"]),
}


@pytest.mark.parametrize(("text", "sizes"), TUPLES.values(), ids=TUPLES.keys())
def test_axes_of_parts(text: str, sizes: list[str]) -> None:
    frame = met(f"a, b, c = x.shape\nq, k = x[0], x[1]\nz = {text}\nreturn z")
    axes = Extents(frame).axes(named(frame, text))
    assert axes is not None
    assert [size.factors for size in axes.sizes] == [(size,) for size in sizes]


def test_a_layer_keeps_the_axes_that_its_rule_keeps() -> None:
    text = (
        f"{HEAD}class Net(HybridBlock):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Dense(12, flatten=False)\n        self.own = Own()\n\n"
        "    def hybrid_forward(self, F, x):\n        b, t, c = x.shape\n"
        "        return self.fc(x).reshape((b, t, 3, -1)) + self.own(x).reshape((b, t, 3, -1))\n"
    )
    source = SourceFile(Path("net.py"), text)
    frame = next(e.frame for e in module_events(source) if isinstance(e.frame.function, ast.FunctionDef))
    axes = Extents(frame).axes(named(frame, "self.fc(x)"))
    assert axes is not None
    assert [size.factors for size in axes.sizes] == [("x[0]",), ("x[1]",), ("2", "2", "3")]
    assert Extents(frame).axes(named(frame, "self.own(x)")) is None
    guessed = Extents(frame, guess=True).axes(named(frame, "self.own(x)"))
    assert guessed is not None
    assert len(guessed.sizes) == 1


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


def test_each_part_of_a_split_has_its_axes() -> None:
    frame = met("b, t, c = x.shape\nq, k = F.split(x, num_outputs=2, axis=2)\nz = k * 2\nreturn z * y[0]")
    axes = Extents(frame).axes(named(frame, "k * 2"))
    assert axes is not None
    assert [size.factors for size in axes.sizes[:2]] == [("x[0]",), ("x[1]",)]


READS = {
    "a size": ("z = 1", "x.shape[1]", True),
    "a name": ("k = x.shape[1]\nz = k", "k", True),
    "one of several names": ("a, b = x.shape\nz = a * 2", "a * 2", True),
    "a setting": ("z = self.heads", "self.heads", False),
    "a number": ("k = 3\nz = k", "k", False),
}


@pytest.mark.parametrize(("body", "text", "reads"), READS.values(), ids=READS.keys())
def test_sizes_that_are_read_from_tensors(body: str, text: str, *, reads: bool) -> None:
    frame = met(f"{body}\nreturn F.relu(x) * z * x.shape[1]")
    assert Extents(frame).reads_tensor(named(frame, text)) is reads


LEADING = {
    "of each rank, as of one alone": ("return self.fc(x)", "self.fc(x)", []),
    "of ranks from three on": ("return self.fc(x) * x.shape[2]", "self.fc(x)", [("x[0]",), ("x[1]",)]),
    "of the only rank": ("return self.conv(x)", "self.conv(x)", [("x[0]",), ("2", "2")]),
}


@pytest.mark.parametrize(("body", "text", "sizes"), LEADING.values(), ids=LEADING.keys())
def test_axes_that_a_layer_keeps_in_every_rank(body: str, text: str, sizes: list[tuple[str, ...]]) -> None:
    layers = "self.fc = nn.Dense(3, flatten=False)\n        self.conv = nn.Conv2D(4, 3, padding=1)"
    init = f"    def __init__(self):\n        super().__init__()\n        {layers}\n\n"
    net = f"class Net(HybridBlock):\n{init}    def hybrid_forward(self, F, x):\n        {body}\n"
    frames = [event.frame for event in module_events(SourceFile(Path("net.py"), HEAD + net))]
    frame = next(f for f in frames if isinstance(f.function, ast.FunctionDef) and f.function.name == "hybrid_forward")
    axes = Extents(frame).axes(named(frame, text))
    assert axes is not None
    assert [size.factors for size in axes.sizes[: len(sizes)]] == sizes
    assert axes.whole or len(axes.sizes) == len(sizes)
