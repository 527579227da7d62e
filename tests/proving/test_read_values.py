"""Decisions by the numbers in arrays: no graph takes them, and a proof says that it rests on how they came out."""

from __future__ import annotations

from collections.abc import Callable

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus

Prove = Callable[..., dict[str, ProofOutcome]]


def test_a_decision_that_only_arrays_allow_is_a_reserve(prove: Prove) -> None:
    outcomes = prove(
        """
        import mxnet as mx
        from mxnet import nd

        class Cut(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                if F is nd and x.abs().max().asscalar() > 50:
                    x = x / 2
                return F.relu(x)

        class Measured(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                if isinstance(x, nd.NDArray):
                    largest = x.max().asscalar()
                    return F.relu(x) if largest < 1e6 else x
                return F.relu(x)

        class Checked(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                if F is nd and x.sum().asscalar() != x.sum().asscalar():
                    raise ValueError("no numbers")
                return F.relu(x)

        class Printing(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                if F is nd:
                    print("largest", x.max().asscalar())
                return F.relu(x)
        """
    )
    assert {outcome.status for outcome in outcomes.values()} == {ProofStatus.PROVED}
    assert outcomes["Cut"].only == ("unchanged answers to `F is nd and x.abs().max().asscalar() > 50`",)
    assert outcomes["Measured"].only == ("unchanged answers to `largest < 1000000.0`",)
    assert outcomes["Checked"].only == outcomes["Printing"].only == ()
