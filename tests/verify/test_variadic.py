"""Blocks that take ``*inputs`` are called with as many as they take apart."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from hybridlint.verify.outcome import Outcome, Status

Prove = Callable[..., dict[str, Outcome]]


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

            def hybrid_forward(self, F, {inputs}):
                {body}
    """
    outcome = prove(text)["Net"]
    assert outcome.status is Status.PROVED, outcome.reason
    assert outcome.setup is not None
    assert re.sub(r" \([^)]*\)", "", outcome.setup.partition(" on ")[2]) == shown
