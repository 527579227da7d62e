"""Outputs of operators and of blocks: lists, identities and constants, with comments."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

OUTPUTS = {
    "last": ("z = F.split(x, 2)\nreturn z[-1]", "z = F.split(x, 2)\nreturn z[1]"),
    "last of a call": ("return F.split(x + 1, 2)[-1]", "return F.split(x + 1, 2)[1]"),
    "a slice": ("z = F.split(x, 2)\nw = z[-1 :]\nreturn w[0]", "z = F.split(x, 2)\nw = list(z)[-1 :]\nreturn w[0]"),
    "a method of lists": (
        "z = F.split(x, 2)\nz.append(y)\nreturn z[0]",
        "z = list(F.split(x, 2))\nz.append(y)\nreturn z[0]",
    ),
    "compared with None": (
        "z = F.split(x, 2)\nif z == None:\n    return y * 2\nreturn z[0]",
        "z = F.split(x, 2)\nif z is None:\n    return y * 2\nreturn z[0]",
    ),
    "compared with None, nested": (
        "z = F.split(x, 2)\nreturn z[0] if self.a and z != None else z[1]",
        "z = F.split(x, 2)\nreturn z[0] if self.a and z is not None else z[1]",
    ),
    "with a comment": (
        "return F.split(x, 2)[  # last\n    -1]",
        """
        return (  # last
            F.split(x, 2)[1]
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), OUTPUTS.values(), ids=OUTPUTS.keys())
def test_outputs_of_operators(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


RETURNED = {
    "an input": ("return x", "return F.identity(x)"),
    "an input in a list": (
        """
        return [
            x,  # as it is
            y * 2,
        ]
        """,
        """
        return [
            F.identity(x),  # as it is
            y * 2,
        ]
        """,
    ),
    "an input in parentheses with a comment": (
        """
        return (
            x  # as it is
        )
        """,
        """
        return F.identity((
            x  # as it is
        ))
        """,
    ),
    "a list that is not written out": (
        "z = [x, y]\nreturn z",
        "z = [x, y]\nreturn [F.identity(output) for output in z]",
    ),
    "a generator": (
        """
        return (
            i * 2  # twice
            for i in [x, y]
        )
        """,
        """
        return [
            i * 2  # twice
            for i in [x, y]
        ]
        """,
    ),
    "as an array of numpy": ("return x.as_np_ndarray()", "return F.identity(x).as_np_ndarray()"),
    "a constant": (
        "return F.ones((2, 3)) * 2 + 1",
        'return F.broadcast_add(F.ones((2, 3)) * 2 + 1, F.sum(F.zeros_like(x)).astype("float32"))',
    ),
    "a constant of a dtype": (
        "return F.zeros((2, 3), dtype='int32')",
        "return F.broadcast_add(F.zeros((2, 3), dtype='int32'), F.sum(F.zeros_like(x)).astype(\"int32\"))",
    ),
    "a constant with a comment": (
        """
        return (
            F.ones((2, 3))  # ones
        )
        """,
        """
        return F.broadcast_add((
            F.ones((2, 3))  # ones
        ), F.sum(F.zeros_like(x)).astype("float32"))
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), RETURNED.values(), ids=RETURNED.keys())
def test_outputs_of_blocks(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


NUMPY = {
    "an input": ("return x", "return F.np.copy(x)"),
    "a constant": (
        "return 2 * F.np.ones((2, 3))",
        "return 2 * F.np.ones((2, 3)) + F.np.sum(F.np.zeros_like(x))",
    ),
}


@pytest.mark.parametrize(("before", "after"), NUMPY.values(), ids=NUMPY.keys())
def test_outputs_of_blocks_in_numpy_mode(before: str, after: str) -> None:
    assert fixed(before, unsafe=True, numpy=True) == lines(after)


REFUSED = {
    "a tuple, which comes back as a list": "return x, y * 2",
    "a constant on one way": "return F.ones((2, 3)) if self.a else x * 2",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_left_alone(body: str) -> None:
    assert fixed(body, unsafe=True) == body
