"""The fixers of parameters and first states: as arguments, and through the functions of F."""

from __future__ import annotations

import textwrap

import pytest

from tests.fixers.bodies import fixed_text, lines

HEAD = """
import mxnet as mx
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(3,))
            self.cell = mx.gluon.rnn.LSTMCell(4)

    def hybrid_forward(self, F, x, weight):
""".lstrip()


def fixed(body: str, *, unsafe: bool = False) -> str:
    """Return the body of the block's `hybrid_forward` after all fixes."""
    text = HEAD + textwrap.indent(lines(body), " " * 8) + "\n"
    return textwrap.dedent(fixed_text(text, unsafe=unsafe).removeprefix(HEAD)).strip("\n")


SAFE = {
    "a parameter's shape": ("return x.reshape((-1, weight.shape[0]))", "return x.reshape((-1, self.weight.shape[0]))"),
    "its data": ("return F.broadcast_mul(x, self.weight.data())", "return F.broadcast_mul(x, weight)"),
    "its data with a comment": (
        """
        return F.broadcast_mul(
            x,
            self.weight  # mine
            .data(),
        )
        """,
        """
        return F.broadcast_mul(
            x,
            (  # mine
                weight
            ),
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


NUMBERS = {
    "asscalar": (
        "return x * self.weight.data().sum().asscalar()",
        "return F.broadcast_mul(x, F.BlockGrad(weight.sum()))",
    ),
    "asnumpy": (
        "return x * float(self.weight.data().asnumpy().sum())",
        "return F.broadcast_mul(x, F.BlockGrad(weight.sum()))",
    ),
}


@pytest.mark.parametrize(("before", "after"), NUMBERS.values(), ids=NUMBERS.keys())
def test_numbers_of_parameters(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == after
    assert fixed(before) == before


STATES = {
    "states": ("self.cell.begin_state()", "self.cell.begin_state(func=F.zeros)"),
    "states of a size": ("self.cell.begin_state(4)", "self.cell.begin_state(4, func=F.zeros)"),
    "states with a comment": (
        """
        self.cell.begin_state(
            batch_size=4,  # four
        )
        """,
        """
        self.cell.begin_state(
            batch_size=4,  # four
            func=F.zeros,
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), STATES.values(), ids=STATES.keys())
def test_first_states(before: str, after: str) -> None:
    use = "\nout, states = self.cell(x, states)\nreturn F.broadcast_mul(out, weight)"
    assert fixed(f"states = {lines(before)}{use}") == f"states = {lines(after)}{use}"


HELPER = """
from mxnet.gluon import HybridBlock


class Table(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.weight = self.params.get("weight", shape=(3, 4))

    def rows(self, F, x):
        return F.dot(x, self.weight.data()) + F.sum(self.weight.data())

    def hybrid_forward(self, F, x, weight):
        {call}
""".lstrip()


def test_a_helper_is_handed_the_argument() -> None:
    found = fixed_text(HELPER.format(call="return self.rows(F, x) * 2"), unsafe=False)
    assert "def rows(self, F, x, weight):\n        return F.broadcast_add(F.dot(x, weight), F.sum(weight))" in found
    assert "return self.rows(F, x, weight) * 2" in found


@pytest.mark.parametrize(
    "call",
    [
        "weight = weight * 2\n        return self.rows(F, x)",
        "rows = self.rows\n        return rows(F, x)",
        "return self.rows(*(F, x))",
    ],
    ids=["bound again", "named without a call", "starred"],
)
def test_a_helper_whose_calls_cannot_hand_it_on_reads_the_parameter_still(call: str) -> None:
    assert "self.weight.data()" in fixed_text(HELPER.format(call=call), unsafe=False)
