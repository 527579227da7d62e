"""Sizes that expressions read or compute."""

from __future__ import annotations

import pytest

from hybridlint.fixers.evidence.sizes.axis_size import AxisSize
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from tests.fixers.bodies import met, named

SIZES = {
    "of an axis": ("z = x.shape[1]", "x.shape[1]", AxisSize(("x[1]",))),
    "by a name": ("k = x.shape[1]\nz = k * 2", "k * 2", AxisSize(("2", "x[1]"))),
    "unpacked": ("a, b = x.shape\nz = a * b", "a * b", AxisSize(("x[0]", "x[1]"))),
    "a part of an axis": ("a, b = x.shape\nz = b // 6", "b // 6", AxisSize(("x[1]",), ("2", "3"))),
    "a setting": ("z = self.heads * 4", "self.heads * 4", AxisSize(("2", "2", "self.heads"))),
    "the length": ("z = len(x)", "len(x)", AxisSize(("x[0]",))),
    "a code": ("z = -1", "-1", None),
    "a sum": ("z = x.shape[0] + 1", "x.shape[0] + 1", None),
    "a rounded quotient": ("z = int(x.shape[0] / (6 / 2))", "int(x.shape[0] / (6 / 2))", AxisSize(("x[0]",), ("3",))),
    "one of several settings": ("h, w = self.grid\nz = h * 2", "h * 2", AxisSize(("2", "h"))),
    "computed from a setting": ("k = int(math.sqrt(self.n))\nz = k * 2", "k * 2", AxisSize(("2", "k"))),
    "computed from a tensor": ("k = int(x.sum())\nz = k * 2", "k * 2", None),
    "a name that is bound twice": ("k = x.shape[0]\nk = 3\nz = k * 2", "k * 2", AxisSize(("2", "3"))),
    "a name that a branch binds too": ("k = x.shape[0]\nif y is x:\n    k = 3\nz = k * 2", "k * 2", None),
    "a name that is bound to another setting": ("k = self.m + 1\nk = self.n + 1\nz = k * 2", "k * 2", None),
}


@pytest.mark.parametrize(("body", "text", "size"), SIZES.values(), ids=SIZES.keys())
def test_sizes(body: str, text: str, size: AxisSize | None) -> None:
    frame = met(f"{body}\nreturn F.relu(x) * z")
    assert SizeInference(frame).size(named(frame, text)) == size


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
    assert SizeInference(frame).reads_tensor(named(frame, text)) is reads
