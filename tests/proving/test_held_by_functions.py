"""What functions keep from call to call, which a graph does not: a proof that did not tell its values apart says so."""

from __future__ import annotations

from collections.abc import Callable

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus

Prove = Callable[..., dict[str, ProofOutcome]]


def test_counts_in_closures_defaults_and_attributes_of_functions(prove: Prove) -> None:
    outcomes = prove(
        """
        def weight():
            weight.calls += 1
            return 1.0 if weight.calls < 1000 else 0.1

        weight.calls = 0

        class Closure(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                count = [0]

                def tick():
                    count[0] += 1
                    return 1.0 if count[0] < 300 else 0.5

                self._tick = tick

            def hybrid_forward(self, F, x):
                return x * self._tick()

        class Default(nn.HybridBlock):
            def _rate(self, calls=[0]):
                calls[0] += 1
                return 1.0 if calls[0] < 1000 else 0.1

            def hybrid_forward(self, F, x):
                return x * self._rate()

        class OfFunction(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return x * weight()

        class Constant(nn.HybridBlock):
            def __init__(self, rate=2.0):
                super().__init__()
                self._scale = lambda x: x * rate

            def hybrid_forward(self, F, x):
                return self._scale(x)
        """
    )
    assert {name: (o.status, o.only) for name, o in outcomes.items()} == {
        "Closure": (ProofStatus.PROVED, ("unchanged self._tick()",)),
        "Default": (ProofStatus.PROVED, ("unchanged self._rate()",)),
        "OfFunction": (ProofStatus.PROVED, ("unchanged weight()",)),
        "Constant": (ProofStatus.PROVED, ()),
    }
