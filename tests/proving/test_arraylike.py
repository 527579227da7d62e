"""A graph that models the eager run: subscripts, shapes and functions that Symbols lack, with equal shapes at first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import hybridlint.runtime as mx
from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.inputs.graph.arraylike import ArrayLike

Prove = Callable[..., dict[str, ProofOutcome]]


@pytest.mark.parametrize(
    "taken",
    [
        lambda x: x[0],
        lambda x: x[:, 1],
        lambda x: x[:, None, 1:3],
        lambda x: x[..., -1],
        lambda x: x[..., None],
        lambda x: x[-1, ..., 0:2],
        lambda x: x.T,
        lambda x: x[[0, 1]],
        lambda x: x.reshape((x.shape[0], -1)),
        lambda x: list(x)[1],
    ],
)
def test_shapes_are_those_of_arrays(taken: Callable[[Any], Any]) -> None:
    array = mx.nd.zeros((2, 4, 5))
    expected = taken(array).shape
    with ArrayLike(mx, {"x": (2, 4, 5)}, None):
        found = taken(mx.sym.var("x"))
    assert found.infer_shape(x=(2, 4, 5))[1] == [expected]


def test_symbols_are_as_before_afterwards() -> None:
    before = dict(vars(type(mx.sym.var("x")))), dict(vars(mx.sym))
    with ArrayLike(mx, {"x": (2, 4)}, None) as arrays:
        assert not arrays.asked
        assert mx.sym.var("x").shape == (2, 4)
        assert arrays.asked
    assert (dict(vars(type(mx.sym.var("x")))), dict(vars(mx.sym))) == before


LOSSES = """
class Policy(gluon.HybridBlock):
    def hybrid_forward(self, F, mean, deviation, value, action, advantage, returned):
        z = F.square(action - mean) / F.exp(deviation)
        return F.sum(z, axis=-1) * advantage + F.square(F.squeeze(value, axis=1) - returned)

class Volumes(gluon.HybridBlock):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes

    def hybrid_forward(self, F, scores, label):
        hot = F.one_hot(label, self.classes).transpose((0, 4, 1, 2, 3))
        return F.sum(F.softmax(scores, axis=1) * hot, axis=(2, 3, 4))
"""


def test_what_is_added_has_equal_shapes(prove: Prove) -> None:
    outcomes = prove(LOSSES)
    assert {name: outcome.status for name, outcome in outcomes.items()} == dict.fromkeys(outcomes, ProofStatus.PROVED)
    assert "value (N, 1), action (N, L), advantage (N,), returned (N,)" in str(outcomes["Policy"].setup)
    assert "scores (N, 4, H, W, T), label (N, H, W, T) of whole numbers below 3" in str(outcomes["Volumes"].setup)


def test_inputs_are_found_where_functions_of_arrays_alone_are_called(prove: Prove) -> None:
    outcome = prove(
        """
        class Boxes(gluon.HybridBlock):
            def __init__(self):
                super().__init__()
                self.head = nn.Conv2D(2, 1, strides=2)

            def hybrid_forward(self, F, image, index, box, mask):
                wide = self.head(image)
                keep = F.logical_and(wide > 0, wide < 2)
                flat = F.transpose(F.reshape(wide * keep, shape=(0, 0, -1)), (0, 2, 1))
                picked = F.batch_dot(F.one_hot(index, 64), flat)
                return F.sum(F.broadcast_mul(picked - box, F.expand_dims(mask, 2)))
        """
    )["Boxes"]
    assert outcome.status is ProofStatus.REFUTED, outcome.reason
    assert "logical_and" in outcome.reason
