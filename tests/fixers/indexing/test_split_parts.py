"""The parts of a tensor that is split once, as the code around takes them."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text, lines

TAKEN = {
    "by one statement": (
        "z = F.reshape(x, (-1, 2))\na, b = z[:, 0], z[:, 1]\nreturn a * b",
        "a, b = F.split(z, num_outputs=2, axis=1, squeeze_axis=True)\nreturn a * b",
    ),
    "by statements in a row": (
        "z = F.reshape(x, (-1, 2))\na = z[:, 0]  # first\nb = z[:, 1]\nreturn a * b",
        "# first\na, b = F.split(z, num_outputs=2, axis=1, squeeze_axis=True)\nreturn a * b",
    ),
    "in expressions": (
        "z = F.reshape(x, (-1, 2))\na = F.exp(z[:, 0])\nreturn a * z[:, 1] + z[:, 0]",
        """
        z_parts = F.split(z, num_outputs=2, axis=1, squeeze_axis=True)
        a = F.exp(z_parts[0])
        return a * z_parts[1] + z_parts[0]
        """,
    ),
    "in a step of a loop": (
        "z = F.reshape(x, (-1, 2))\nfor k in range(3):\n    y = y * z[:, 0]\n    y = y + z[:, 1]\nreturn y",
        """
        for k in range(3):
            z_parts = F.split(z, num_outputs=2, axis=1, squeeze_axis=True)
            y = y * z_parts[0]
            y = y + z_parts[1]
        return y
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), TAKEN.values(), ids=TAKEN.keys())
def test_one_split_gives_all_parts(before: str, after: str) -> None:
    assert fixed(before, unsafe=True).partition("\n")[2] == lines(after)


OTHER = {
    "of two tensors in turn": "z = F.reshape(x, (-1, 2))\na = z[:, 0]\nz = F.exp(z)\nreturn a * z[:, 1]",
    "in a branch first": "z = F.reshape(x, (-1, 2))\nif self.flag:\n    y = z[:, 0] * 2\nreturn y * z[:, 1]",
    "in a function without statements": "z = F.reshape(x, (-1, 2))\nf = lambda: z[:, 0] * z[:, 1]\nreturn f()",
}


@pytest.mark.parametrize("body", OTHER.values(), ids=OTHER.keys())
def test_what_no_statement_can_split_for_all(body: str) -> None:
    assert "split" not in fixed(body, unsafe=True)


GATES = """
from mxnet.gluon import HybridBlock, nn


class Cell(HybridBlock):
    def __init__(self, units):
        super().__init__()
        self.units = units
        self.gates = nn.Dense(3 * units)

    def hybrid_forward(self, F, x, h):
        n = self.units
        z = self.gates(x)
        h = F.sigmoid(z[:, :n]) * h
        return h * F.tanh(z[:, n : 2 * n]) + z[:, 2 * n :]
"""


def test_a_name_that_only_bounds_read_goes() -> None:
    assert fixed_text(GATES).partition("h):\n")[2] == (
        "        z = self.gates(x)\n"
        "        z_parts = F.split(z, num_outputs=3, axis=1)\n"
        "        h = F.sigmoid(z_parts[0]) * h\n"
        "        return h * F.tanh(z_parts[1]) + z_parts[2]\n"
    )
    read = GATES.replace("h = F.sigmoid", "h = n * F.sigmoid")
    assert "n = self.units" in fixed_text(read)
