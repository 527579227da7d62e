"""Names that hold a shape or a part of one, and the axes that are read by them."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.sizes.shape_parts import axis_by_name, axis_of_part
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from tests.fixers.bodies import fixed, lines, met, named

PARTS = {
    "a shape": ("x.shape", 1, 1),
    "a tail": ("x.shape[2:]", 1, 3),
    "the end of a tail": ("x.shape[2:]", -1, -1),
    "the last two": ("x.shape[-2:]", 0, -2),
    "behind the last two": ("x.shape[-2:]", 2, None),
    "a part with both ends": ("x.shape[1:3]", 0, 1),
    "the end of such a part": ("x.shape[1:3]", -1, None),
    "all but the last": ("x.shape[:-1]", 0, None),
    "every other axis": ("x.shape[::2]", 1, None),
    "no shape": ("x[2:]", 0, None),
}


@pytest.mark.parametrize(("part", "place", "axis"), PARTS.values(), ids=PARTS.keys())
def test_the_axis_of_a_place(part: str, place: int, axis: int | None) -> None:
    assert axis_of_part(ast.parse(part, mode="eval").body, place) == axis


def test_a_name_that_is_bound_once_reads_axes() -> None:
    frame = met("size = x.shape[2:]\nreturn x.reshape((0, size[1], -1))")
    read = named(frame, "size[1]")
    assert isinstance(read, ast.Subscript)
    found = axis_by_name(frame, read)
    assert found is not None
    assert (found[0].id, found[1]) == ("x", 3)
    size = SizeInference(frame).size(read)
    assert size is not None
    assert size.factors == ("x[3]",)


def test_a_name_that_is_bound_twice_tells_the_axis_of_its_last_binding() -> None:
    frame = met("size = x.shape[2:]\nsize = y.shape[2:]\nreturn x.reshape((0, size[1], -1))")
    read = named(frame, "size[1]")
    assert isinstance(read, ast.Subscript)
    found = axis_by_name(frame, read)
    assert found is not None
    assert (found[0].id, found[1]) == ("y", 3)


def test_a_name_that_a_branch_binds_does_not() -> None:
    frame = met("size = x.shape[2:]\nif self.a:\n    size = y.shape[2:]\nreturn x.reshape((0, size[1], -1))")
    read = named(frame, "size[1]")
    assert isinstance(read, ast.Subscript)
    assert axis_by_name(frame, read) is None


RESIZED = 'return F.contrib.BilinearResize2D(F.relu(y), F.BlockGrad(x), mode="like")'
USES = {
    "a tail": (
        "size = x.shape[2:]\nreturn F.contrib.BilinearResize2D(F.relu(y), height=size[0], width=size[1])",
        RESIZED,
    ),
    "the last two": (
        "size = x.shape[-2:]\nreturn F.contrib.BilinearResize2D(F.relu(y), height=size[0], width=size[1])",
        RESIZED,
    ),
    "the last two, unpacked": (
        "h, w = x.shape[-2:]\nreturn F.contrib.BilinearResize2D(F.relu(y), height=h, width=w)",
        RESIZED,
    ),
    "the last two, behind a star": (
        "*_, h, w = x.shape\nreturn F.contrib.BilinearResize2D(F.relu(y), height=h, width=w)",
        RESIZED,
    ),
    "the first, before a star": ("b, *_ = x.shape\nreturn x.reshape((b, -1))", "return x.reshape((0, -1))"),
    "of a tensor that is rebound": (
        """
        size = x.shape[-2:]
        x = F.Pooling(x, kernel=(2, 2), stride=(2, 2))
        return F.contrib.BilinearResize2D(x, height=size[0], width=size[1])
        """,
        """
        x_like = x
        x = F.Pooling(x, kernel=(2, 2), stride=(2, 2))
        return F.contrib.BilinearResize2D(x, F.BlockGrad(x_like), mode="like")
        """,
    ),
    "in a reshape": (
        "size = x.shape[2:]\ny = x.reshape((0, 0, -1))\nreturn F.softmax(y).reshape((0, 0, size[0], size[1]))",
        """
        y = x.reshape((0, 0, -1))
        return F.softmax(y).reshape_like(x, lhs_begin=2, lhs_end=3, rhs_begin=2, rhs_end=4)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), USES.values(), ids=USES.keys())
def test_sizes_are_read_by_a_part_of_a_shape(before: str, after: str) -> None:
    assert fixed(lines(before), unsafe=True) == lines(after)


SWAPPED = {
    "height and width": "size = x.shape[2:]\nreturn F.contrib.BilinearResize2D(y, height=size[1], width=size[0])",
    "axes from the other end": "s = x.shape[-2:]\nreturn F.contrib.BilinearResize2D(y, height=s[-1], width=s[0])",
}


@pytest.mark.parametrize("body", SWAPPED.values(), ids=SWAPPED.keys())
def test_other_sizes_are_no_likeness(body: str) -> None:
    assert "like" not in fixed(body, unsafe=True)
