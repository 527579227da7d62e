"""Parts of an axis that begin and end at shares of its own size."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.indexing.proportional_slices import SharedPart, shared_part
from tests.fixers.bodies import fixed, lines, met, named

PARTS = {
    "the first of some": ("x[:, : x.shape[1] // 8]", SharedPart(1, 0, 1, 8, None)),
    "one behind it": ("x[:, x.shape[1] // 8 : 2 * (x.shape[1] // 8)]", SharedPart(1, 1, 2, 8, None)),
    "the rest": ("x[:, 3 * (x.shape[1] // 8) :]", SharedPart(1, 3, None, 8, None)),
    "shares of unlike numbers": ("x[:, x.shape[1] // 3 : x.shape[1] // 2]", SharedPart(1, 2, 3, 6, None)),
    "as a setting says": ("x[:, x.shape[1] // self.div :]", SharedPart(1, 1, None, 1, "self.div")),
    "as settings say that are not the same": ("x[:, x.shape[1] // self.a : x.shape[1] // self.b]", None),
    "a share of another axis": ("x[:, : x.shape[2] // 8]", None),
    "a size less a number": ("x[:, : x.shape[1] - 1]", None),
    "more than the axis has": ("x[:, 5 * (x.shape[1] // 4) :]", None),
    "a multiple of the size": ("x[:, : x.shape[1] * 2]", None),
    "nothing": ("x[:, x.shape[1] // 4 : x.shape[1] // 4]", None),
    "numbers": ("x[:, 1:3]", None),
}


@pytest.mark.parametrize(("text", "part"), PARTS.values(), ids=PARTS.keys())
def test_the_part_that_bounds_take(text: str, part: SharedPart | None) -> None:
    frame = met(f"n = x.shape[1] // 4\nz = y[:, n : 2 * n]\nreturn F.relu({text})")
    node = named(frame, ast.unparse(ast.parse(text, mode="eval").body))
    assert isinstance(node, ast.Subscript)
    assert isinstance(node.slice, ast.Tuple)
    key = node.slice.elts[1]
    assert isinstance(key, ast.Slice)
    assert shared_part(frame, node.value, 1, key.lower, key.upper) == part


UNSAFE = {
    "one part of a number that stands there": (
        "n = x.shape[1] // 4\nreturn F.concat(x[:, :n], y, x[:, n : 2 * n], dim=1)",
        "return F.concat(F.split(x, num_outputs=4, axis=1)[0], y, F.split(x, num_outputs=4, axis=1)[1], dim=1)",
    ),
    "several parts": (
        "n = x.shape[1] // 8\nreturn F.concat(x[:, n : 2 * n], x[:, 3 * n :], dim=1)",
        """
        return F.concat(
            F.split(x, num_outputs=8, axis=1)[1],
            F.reshape(F.slice_axis(F.reshape(x, (0, -4, 8, -1, -2)), axis=1, begin=3, end=None), (0, -3, -2)),
            dim=1,
        )
        """,
    ),
    "parts as a setting says, beside a part of another axis": (
        "n = x.shape[2] // self.div\nreturn F.concat(x[:, 1:, n : 2 * n], x[:, :, 2 * n :], dim=1)",
        """
        return F.concat(
            F.slice_axis(F.split(x, num_outputs=self.div, axis=2)[1], axis=1, begin=1, end=None),
            F.reshape(
                F.slice_axis(F.reshape(x, (0, 0, -4, self.div, -1, -2)), axis=2, begin=2, end=None), (0, 0, -3, -2)
            ),
            dim=1,
        )
        """,
    ),
    "parts that are stored into": (
        """
        n, t, c = x.shape
        n = c // 4
        z = F.zeros_like(x)
        z[:, :-1, :n] = x[:, 1:, :n]
        z[:, :, n : 2 * n] = x[:, :, n : 2 * n]
        z[:, :, 2 * n :] = x[:, :, 2 * n :]
        return z
        """,
        """
        z = F.zeros_like(x)
        z = F.concat(
            F.concat(
                F.slice_axis(F.split(x, num_outputs=4, axis=2)[0], axis=1, begin=1, end=None),
                F.slice_axis(F.split(z, num_outputs=4, axis=2)[0], axis=1, begin=-1, end=None),
                dim=1,
            ),
            F.split(x, num_outputs=4, axis=2)[1],
            F.split(x, num_outputs=2, axis=2)[1],
            dim=2,
        )
        return z
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_parts_of_a_reshaped_axis(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)
    # The code rounds down where the parts are not of one size.
    assert "// " in fixed(before)


def test_half_of_an_axis_alone_may_be_rounded() -> None:
    body = "n = x.shape[1] // 2\nreturn F.concat(x[:, n:], y, dim=1)"
    assert fixed(body, unsafe=True) == body
