"""Blocks that keep something of their first calls, or of what they were given, and how they can be run all the same."""

from __future__ import annotations

from collections.abc import Callable

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus

Prove = Callable[..., dict[str, ProofOutcome]]


def test_what_keeps_arrays_of_one_batch_is_judged_with_that_batch(prove: Prove) -> None:
    outcomes = prove(
        """
        class Difference(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.before = None

            def hybrid_forward(self, F, x):
                before, self.before = self.before, F.BlockGrad(x)
                return x if before is None else x - before

        class Checked(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.shape = None

            def forward(self, x):
                self.shape = self.shape or x.shape
                if x.shape != self.shape:
                    raise ValueError("another shape")
                return super().forward(x)

            def hybrid_forward(self, F, x):
                return F.relu(x)
        """
    )
    assert outcomes["Difference"].status is ProofStatus.REFUTED
    assert (outcomes["Checked"].status, outcomes["Checked"].only) == (ProofStatus.PROVED, ("batches of 2",))


def test_numbers_of_which_an_argument_makes_an_array_are_a_list(prove: Prove) -> None:
    outcome = prove(
        """
        class Box:
            def __init__(self, low, high):
                self.low, self.high = nd.array(low), nd.array(high)

            def middle(self):
                return ((self.low + self.high) / 2).asnumpy().tolist()

        class Moved(nn.HybridBlock):
            def __init__(self, box):
                super().__init__()
                self.middle = box.middle()

            def hybrid_forward(self, F, x):
                return F.broadcast_add(x, F.reshape(F.concat(*[F.full((1,), m) for m in self.middle], dim=0), (1, -1)))
        """
    )["Moved"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    assert "Box(" in str(outcome.setup)


def test_what_a_block_refers_to_weakly_lives_while_it_runs(prove: Prove) -> None:
    outcome = prove(
        """
        import gc
        import weakref

        class Parent(nn.HybridBlock):
            def __init__(self, gain=0.5):
                super().__init__()
                self.gain = gain

            def hybrid_forward(self, F, x):
                return x * self.gain

        class Child(nn.HybridBlock):
            def __init__(self, parent):
                super().__init__()
                self._parent = weakref.ref(parent)

            def hybrid_forward(self, F, x):
                gc.collect()
                return x * self._parent().gain
        """
    )["Child"]
    assert (outcome.status, outcome.only) == (ProofStatus.PROVED, ())
