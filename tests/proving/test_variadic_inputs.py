"""Blocks that take ``*inputs`` are called with as many as they take apart."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus

Prove = Callable[..., dict[str, ProofOutcome]]


@pytest.mark.parametrize(
    ("inputs", "body", "shown"),
    [
        ("*xs", "a, b = xs; return F.broadcast_add(a, b)", "a, b"),
        ("*xs", "(a, b), c = xs[:2], xs[2]; return a + b * c", "input 0, input 1, input 2"),
        ("*xs", "x, *rest = xs; return F.add_n(x, *rest)", "x, rest"),
        ("*xs", "return xs[0] * xs[1]", "input 0, input 1"),
        ("*xs", "return xs[-1] - xs[0]", "input 0, input 1"),
        ("*xs", "assert len(xs) == 3; return xs[0] + xs[1] + xs[2]", "input 0, input 1, input 2"),
        ("x, *states", "h, c = states; return x + h, c * 2", "x, h, c"),
        ("x, *rest", "return x * 2", "x"),
        ("*xs", "return F.concat(*xs, dim=1)", "input 0, input 1"),
        ("*xs", "return self.pair(*xs)", "left, right"),
        ("*xs", "return [part(x) for x, part in zip(xs, (self.a, self.b, self.c))]", "input 0, input 1, input 2"),
        (
            "*xs",
            "return [xs[-1], *(part(x) for part, x in zip(self.parts, reversed(xs[:-1])))]",
            "input 0, input 1, input 2, input 3",
        ),
    ],
)
def test_as_many_as_the_block_takes_apart(prove: Prove, inputs: str, body: str, shown: str) -> None:
    text = f"""
        class Pair(nn.HybridBlock):
            def hybrid_forward(self, F, left, right):
                return left * right

        class Net(nn.HybridBlock):
            def __init__(self, **kwargs):
                super().__init__(**kwargs)
                with self.name_scope():
                    self.pair = Pair()
                    self.a, self.b, self.c = nn.Dense(2), nn.Dense(3), nn.Dense(4)
                    self.parts = [self.a, self.b, self.c]

            def hybrid_forward(self, F, {inputs}):
                {body}
    """
    outcome = prove(text)["Net"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    assert outcome.setup is not None
    assert re.sub(r" \([^)]*\)", "", outcome.setup.partition(" on ")[2]) == shown


def test_what_a_layer_returns_is_no_list_of_inputs_and_states_are_those_of_the_layer(prove: Prove) -> None:
    outcome = prove(
        """
        from mxnet.gluon import rnn

        class Encoder(nn.HybridBlock):
            def __init__(self, hidden):
                super().__init__()
                with self.name_scope():
                    self.rnn = rnn.LSTM(hidden, layout="NTC")

            def hybrid_forward(self, F, x, h, c):
                out, states = self.rnn(x, [h, c])
                return out, states[0], states[1]

        class Pair(nn.HybridBlock):
            def __init__(self, hidden):
                super().__init__()
                with self.name_scope():
                    self.first = Encoder(hidden)
                    self.second = Encoder(hidden)

            def hybrid_forward(self, F, x, y, *states):
                _, *states = self.first(x, *states)
                out, *states = self.second(y, states[0], states[1])
                return [out] + states
        """
    )["Pair"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    assert outcome.setup is not None
    assert re.findall(r"(\w+) \(", outcome.setup.partition(" on ")[2]) == ["x", "y", "h", "c"]


def test_a_helper_that_gets_all_inputs_says_how_many_they_are(prove: Prove) -> None:
    outcome = prove(
        """
        class Graph(nn.HybridBlock):
            def __init__(self, kinds=3):
                super().__init__()
                self.kinds = kinds

            def gathered(self, F, x, edges):
                return F.add_n(*[F.batch_dot(edges[k], x) for k in range(self.kinds)])

            def hybrid_forward(self, F, x, *edges):
                return self.gathered(F, x, edges)
        """
    )["Graph"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    assert "input 2" in str(outcome.setup)
    assert "input 3" not in str(outcome.setup)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("[part(x) for part, x in zip(self.parts, features)]", ProofStatus.PROVED),
        ("[part(x) for part, x in zip(self.others(), features)]", ProofStatus.NOT_RUN),
    ],
)
def test_a_list_has_as_many_items_as_the_parts_that_take_them(prove: Prove, body: str, status: ProofStatus) -> None:
    text = f"""
        class Net(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.parts = nn.HybridSequential()
                self.parts.add(nn.Dense(2), nn.Dense(3), nn.Dense(4))

            def others(self):
                return [*self.parts]

            def hybrid_forward(self, F, features):
                return {body}
    """
    outcome = prove(text)["Net"]
    assert outcome.status is status, outcome.reason
