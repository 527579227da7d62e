"""Parts of a tensor that slices store: the tensor is put together of the new parts and of what is left."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

PASTED = {
    "all but the first step": (
        "z = F.zeros_like(x)\nz[:, 1:] = x[:, :-1]",
        """
        z = F.zeros_like(x)
        z = F.concat(
            F.slice_axis(z, axis=1, begin=0, end=1), F.slice_axis(x, axis=1, begin=0, end=-1), dim=1
        )
        """,
    ),
    "all but the last step": (
        "z = x.copy()\nz[:, :-1] = x[:, 1:]",
        """
        z = F.identity(x)
        z = F.concat(
            F.slice_axis(x, axis=1, begin=1, end=None), F.slice_axis(z, axis=1, begin=-1, end=None), dim=1
        )
        """,
    ),
    "a difference of parts": (
        "z = F.zeros_like(x)\nz[1:] = -(x[1:] - x[:-1]) * 2",
        """
        z = F.zeros_like(x)
        z = F.concat(
            F.slice_axis(z, axis=0, begin=0, end=1),
            -(F.slice_axis(x, axis=0, begin=1, end=None) - F.slice_axis(x, axis=0, begin=0, end=-1)) * 2,
            dim=0,
        )
        """,
    ),
    "a middle part": (
        "z = F.zeros_like(x)\nz[:, 2:5] = x[:, 0:3]",
        """
        z = F.zeros_like(x)
        z = F.concat(
            F.slice_axis(z, axis=1, begin=0, end=2),
            F.slice(x, begin=(None, 0), end=(None, 3)),
            F.slice_axis(z, axis=1, begin=5, end=None),
            dim=1,
        )
        """,
    ),
    "parts of two axes": (
        "z = F.zeros_like(x)\nz[:, 1:, : self.c] = x[:, :-1, : self.c]",
        """
        z = F.zeros_like(x)
        z = F.concat(
            F.slice_axis(z, axis=1, begin=0, end=1),
            F.concat(
                F.slice(x, begin=(None, None, None), end=(None, -1, self.c)),
                F.slice(z, begin=(None, 1, self.c), end=(None, None, None)),
                dim=2,
            ),
            dim=1,
        )
        """,
    ),
    "groups of channels": (
        "z = F.zeros_like(x)\nz[:, :2, 1:] = x[:, :2, :-1]\nz[:, 2:] = x[:, 2:]  # the others stay",
        """
        z = F.zeros_like(x)
        z = F.concat(
            F.concat(
                F.slice(z, begin=(None, None, None), end=(None, 2, 1)),
                F.slice(x, begin=(None, None, None), end=(None, 2, -1)),
                dim=2,
            ),
            F.slice_axis(x, axis=1, begin=2, end=None),
            dim=1,
        )  # the others stay
        """,
    ),
    "a number in parts of two axes": (
        "z = x * 1\nz[:, 1:, 2:] = 0",
        """
        z = x * 1
        z = F.concat(
            F.slice_axis(z, axis=1, begin=0, end=1),
            F.concat(
                F.slice(z, begin=(None, 1, None), end=(None, None, 2)),
                F.zeros_like(F.slice(z, begin=(None, 1, 2), end=(None, None, None))),
                dim=2,
            ),
            dim=1,
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), PASTED.values(), ids=PASTED.keys())
def test_parts_are_put_together(before: str, after: str) -> None:
    assert _plain(fixed(f"{before}\nreturn z", unsafe=True)) == _plain(f"{lines(after)}\nreturn z")


def _plain(text: str) -> str:
    """Return code without blanks, and without commas and parentheses that lines bring."""
    return "".join(text.split()).replace(",)", ")").replace(",dim", ", dim").replace("((", "(").replace("))", ")")


def test_a_value_that_may_be_broadcast_is() -> None:
    before = "z = F.ones((3, 4))\nw = F.ones((3, 1))\nz[:, 1:] = w\nreturn z + y"
    after = fixed(before, unsafe=True)
    assert "F.broadcast_add(F.zeros_like(F.slice_axis(z, axis=1, begin=1, end=None)), w)" in " ".join(after.split())


def test_they_need_unsafe_fixes() -> None:
    body = "z = F.zeros_like(x)\nz[:, 1:] = x * 2\nreturn z"
    assert fixed(body) == body


UNTOUCHED = {
    "a value of unknown shape": "z = F.zeros_like(x)\nz[:, 1:] = y\nreturn z",
    "a part of another length": "z = F.zeros_like(x)\nz[:, 1:] = F.relu(x)\nreturn z",
    "a tensor of another shape": "z = F.zeros_like(y)\nz[:, 1:] = x * 1\nreturn z",
    "every second": "z = F.zeros_like(x)\nz[:, ::2] = x * 1\nreturn z",
}


@pytest.mark.parametrize("body", UNTOUCHED.values(), ids=UNTOUCHED.keys())
def test_untouched(body: str) -> None:
    assert fixed(body, unsafe=True) == body


UNEQUAL = {
    "a tensor that others hold": "z = F.zeros_like(x)\nw = z\nz[:, 1:] = x[:, :-1]\nreturn z, w",
    "a part of another length": "z = F.zeros_like(x)\nz[:, 1:] = x[:, :-2]\nreturn z",
    "a part of a tensor of another shape": "z = F.zeros_like(y)\nz[:, 1:] = x[:, :-1]\nreturn z",
}


@pytest.mark.parametrize("body", UNEQUAL.values(), ids=UNEQUAL.keys())
def test_stores_stay_where_parts_may_differ(body: str) -> None:
    assert "z[:, 1:] =" in fixed(body, unsafe=True)
