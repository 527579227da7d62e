"""What makes a tensor as large as another one, and changes nothing where it is, needs no guard."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

ALWAYS = {
    "a reshape": (
        "if x.shape != y.shape:\n    x = x.reshape(y.shape)\nreturn x * y",
        "x = x.reshape_like(y)\nreturn x * y",
    ),
    "a crop": (
        "if x.shape[2:] != y.shape[2:]:\n    x = x[:, :, : y.shape[2], : y.shape[3]]\nreturn F.concat(x, y, dim=1)",
        "x = F.slice_like(x, y, axes=(2, 3))\nreturn F.concat(x, y, dim=1)",
    ),
    "a crop by an operator": (
        "if y.shape[-2:] != x.shape[-2:]:\n    x = F.Crop(x, y, center_crop=True)  # the middle\nreturn x * y",
        "x = F.Crop(x, y, center_crop=True)  # the middle\nreturn x * y",
    ),
    "a resize": (
        """
        if x.shape[2] != y.shape[2] or x.shape[3] != y.shape[3]:
            x = F.contrib.BilinearResize2D(x, height=y.shape[2], width=y.shape[3])
        return x + y
        """,
        'x = F.contrib.BilinearResize2D(x, F.BlockGrad(y), mode="like")\nreturn x + y',
    ),
    "one axis": (
        "if x.shape[1] != y.shape[1]:\n    x = F.slice_like(x, y, axes=(1,))\nreturn x * y",
        "x = F.slice_like(x, y, axes=(1,))\nreturn x * y",
    ),
}


@pytest.mark.parametrize(("before", "after"), ALWAYS.values(), ids=ALWAYS.keys())
def test_it_is_done_always(before: str, after: str) -> None:
    found = fixed(lines(before), unsafe=True)
    assert found.replace("F.broadcast_add(x, y)", "x + y").replace("F.broadcast_mul(x, y)", "x * y") == lines(after)


GUARDED = {
    "axes that the test does not ask for": (
        "if x.shape[2] != y.shape[2]:\n    x = x[:, :, : y.shape[2], : y.shape[3]]\nreturn x * y"
    ),
    "a reshape of equal images": "if x.shape[2:] != y.shape[2:]:\n    x = x.reshape(y.shape)\nreturn x * y",
    "equal sizes": "if x.shape == y.shape:\n    x = x.reshape(y.shape)\nreturn x * y",
    "two tests that must both hold": (
        "if x.shape[2] != y.shape[2] and x.shape[3] != y.shape[3]:\n"
        "    x = x[:, :, : y.shape[2], : y.shape[3]]\nreturn x * y"
    ),
    "something else": "if x.shape != y.shape:\n    x = F.relu(x).reshape(y.shape)\nreturn x * y",
    "another tensor": "if x.shape != y.shape:\n    z = x.reshape(y.shape)\nreturn x * y",
    "another branch": "if x.shape != y.shape:\n    x = x.reshape(y.shape)\nelse:\n    x = x * 2\nreturn x * y",
    "more": "if x.shape != y.shape:\n    x = x.reshape(y.shape)\n    x = x * 2\nreturn x * y",
}


@pytest.mark.parametrize("body", GUARDED.values(), ids=GUARDED.keys())
def test_guards_of_anything_else_stay(body: str) -> None:
    assert body.partition("\n")[0] in fixed(body, unsafe=True)
