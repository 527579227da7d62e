"""Shapes that several inputs have together, found by what a graph contradicts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest

import hybridlint.runtime as mx
from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.inputs.graph.joint_shapes import jointly
from hybridlint.proving.child.inputs.graph.shape_trial import ShapeTrial
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.specs.spec import Spec, TensorSpec, show
from hybridlint.runtime.base import NotImplementedForSymbol
from hybridlint.runtime.gluon import nn

Prove = Callable[..., dict[str, ProofOutcome]]
SIZES = {"N": 2, "T": 5, "D": 6, "H": 8, "W": 10}


class Ranking(nn.HybridBlock):
    """One item that was bought beside several that were not: the scores broadcast eagerly only."""

    def __init__(self) -> None:
        super().__init__()
        self.user = nn.Embedding(9, 4)
        self.item = nn.Embedding(12, 4)

    def hybrid_forward(self, F: Any, user: Any, bought: Any, others: Any) -> Any:
        """(N,), (N,), (N, K) -> (N,)."""
        u = self.user(user)
        good = F.sum(u * self.item(bought), axis=1, keepdims=True)
        bad = F.squeeze(F.batch_dot(self.item(others), F.expand_dims(u, axis=2)), axis=2)
        return F.sum(F.sigmoid(good - bad), axis=1)


class Pinball(nn.HybridBlock):
    """Quantiles stand along the last axis of what is predicted."""

    def hybrid_forward(self, F: Any, y: Any, predicted: Any) -> Any:
        """(N, T), (N, T, 3) -> (N, T)."""
        return sum(F.abs(y - p) for p in F.split(predicted, num_outputs=3, axis=-1, squeeze_axis=True))


class SkipGram(nn.HybridBlock):
    """The center has an axis of its own that is squeezed out."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(9, 4)

    def hybrid_forward(self, F: Any, center: Any, context: Any, mask: Any) -> Any:
        """(N, 1), (N, T), (N, T) -> (N, T)."""
        scores = F.batch_dot(self.embed(center), F.swapaxes(self.embed(context), 1, 2))
        return F.squeeze(scores, axis=1) * mask


class Matching(nn.HybridBlock):
    """As many anchors as the code says, and any number of boxes: neither has a batch."""

    def hybrid_forward(self, F: Any, anchors: Any, boxes: Any) -> Any:
        """(6, 4), (M, 4) -> (6,)."""
        best = F.argmax(F.contrib.box_iou(anchors, boxes), axis=-1)
        lefts = F.reshape(F.slice_axis(boxes, axis=1, begin=0, end=1), shape=(1, -1))
        return F.pick(F.tile(lefts, reps=(6, 1)), best, axis=1)


class Masked(nn.HybridBlock):
    """It asks arrays what Symbols do not tell, and decides nothing about shapes by it."""

    def hybrid_forward(self, F: Any, candidate: Any, history: Any, mask: Any) -> Any:
        """(N, C), (N, T, C), (N, T) -> (N, C)."""
        if mask.sum() == 0:
            return candidate
        score = F.sum(F.broadcast_mul(F.expand_dims(candidate, axis=1), history), axis=2) * mask.astype(candidate.dtype)
        scale = float(F.max(score).asscalar())
        return F.squeeze(F.batch_dot(F.expand_dims(score / scale, axis=1), history), axis=1)


def _found(cls: Any, *names: str, most: int = 4) -> list[str]:
    world = LoadedModule(mx, sys.modules[__name__])
    given: dict[str, Spec] = {name: TensorSpec(("N", 4)) for name in names}
    sketch = ShapeTrial(world, cls, __file__, eager=True)
    # On a busy machine the search takes longer than a proof has patience for.
    inputs = islice(jointly(sketch, ConstructorArguments([], {}), given, SIZES, patience=12.0), most)
    return ["; ".join(map(show, found.values())) for found in inputs]


@pytest.mark.parametrize(
    ("cls", "names", "shapes"),
    [
        (
            Ranking,
            ("user", "bought", "others"),
            "(N,) of whole numbers below 9; (N,) of whole numbers below 12; (N, T) of whole numbers below 12",
        ),
        (
            SkipGram,
            ("center", "context", "mask"),
            "(N, 1) of whole numbers below 9; (N, T) of whole numbers below 9; (N, T)",
        ),
        (Matching, ("anchors", "boxes"), "(D, 4); (N, 4)"),
        (Masked, ("candidate", "history", "mask"), "(N, 6); (N, T, 6); (N, T)"),
    ],
)
def test_the_graph_tells_what_fits(cls: Any, names: tuple[str, ...], shapes: str) -> None:
    assert _found(cls, *names)[0] == shapes


def test_what_has_no_batch_comes_after_all_that_has_one() -> None:
    assert "(N,); (N, 3)" in _found(Pinball, "y", "predicted")
    assert not any("(N, 6); (6, 3)" in found for found in _found(Pinball, "y", "predicted"))


def test_symbols_are_as_they_were_afterwards() -> None:
    _found(Masked, "candidate", "history", "mask")
    with pytest.raises(AttributeError):
        _ = mx.sym.var("x").dtype
    with pytest.raises(NotImplementedForSymbol):
        bool(mx.sym.var("x"))


def test_a_single_input_and_a_block_without_graph_have_no_shapes_in_common() -> None:
    assert _found(Ranking, "user") == []
    assert _found(nn.HybridBlock, "x", "y") == []


def test_inputs_of_several_ranks_are_found_and_what_broadcasts_perhaps_by_chance_is_left_open(prove: Prove) -> None:
    found = prove(
        """
        class Towers(gluon.HybridBlock):
            def __init__(self, users, items):
                super().__init__()
                self.user, self.item = nn.Embedding(users, 4), nn.Embedding(items, 4)

            def hybrid_forward(self, F, user_id, user_feat, item_id, item_feat):
                u = F.concat(self.user(user_id), user_feat, dim=1)
                v = F.concat(self.item(item_id), item_feat, dim=1)
                return F.dot(u, v, transpose_b=True)

        class Ranking(gluon.HybridBlock):
            def __init__(self, users, items):
                super().__init__()
                self.user, self.item = nn.Embedding(users, 4), nn.Embedding(items, 4)

            def hybrid_forward(self, F, user, bought, others):
                u = self.user(user)
                good = F.sum(u * self.item(bought), axis=1, keepdims=True)
                bad = F.squeeze(F.batch_dot(self.item(others), F.expand_dims(u, axis=2)), axis=2)
                return F.sum(F.sigmoid(good - bad), axis=1)
        """
    )
    assert found["Towers"].status is ProofStatus.PROVED, found["Towers"].reason
    assert found["Ranking"].status is ProofStatus.NOT_RUN
    assert "minus" in found["Ranking"].reason


def test_a_class_that_a_decorator_puts_into_numpy_mode_takes_its_arrays(prove: Prove) -> None:
    found = prove(
        """
        from mxnet.util import use_np

        @use_np
        class Triplet(gluon.loss.Loss):
            def __init__(self, weight=None, batch_axis=0):
                super().__init__(weight, batch_axis)

            def hybrid_forward(self, F, anchor, positive, negative):
                near = F.np.sum((anchor - positive) ** 2, axis=-1, keepdims=True)
                far = F.np.sum((F.np.expand_dims(anchor, 1) - F.np.expand_dims(negative, 0)) ** 2, axis=-1)
                return F.npx.relu(near - far + 1).mean(axis=1)
        """
    )
    assert found["Triplet"].status is ProofStatus.PROVED
    assert found["Triplet"].reason == "compiled = eager"
