"""Random numbers of Python, iterators and clocks in a pass: a proof that they did not refute says so."""

from __future__ import annotations

from collections.abc import Callable

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus

Prove = Callable[..., dict[str, ProofOutcome]]


def test_what_a_pass_draws_or_reads_off_a_clock_is_a_reserve(prove: Prove) -> None:
    outcomes = prove(
        """
        import itertools
        import random
        import time

        import numpy as np

        class Rarely(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return x * 0 if random.random() < 1e-6 else F.relu(x)

        class OwnGenerator(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.rng = np.random.RandomState(3)

            def hybrid_forward(self, F, x):
                return x * 0 if self.rng.rand() < 1e-6 else F.relu(x)

        class Iterating(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.rates = itertools.repeat(0.5)

            def hybrid_forward(self, F, x):
                return x * next(self.rates)

        class Phases(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.start = time.time()

            def hybrid_forward(self, F, x):
                return F.relu(x) if time.time() - self.start < 3600 else x

        class Timed(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                start = time.time()
                y = F.relu(x)
                print(time.time() - start)
                return y

        class Augmented(nn.HybridBlock):
            def forward(self, x):
                return super().forward(x * random.random())

            def hybrid_forward(self, F, x):
                return F.relu(x)
        """
    )
    assert {name: (o.status, o.only) for name, o in outcomes.items()} == {
        "Rarely": (ProofStatus.PROVED, ("unchanged random.random()",)),
        "OwnGenerator": (ProofStatus.PROVED, ("unchanged self.rng.rand()",)),
        "Iterating": (ProofStatus.PROVED, ("unchanged next(self.rates)",)),
        "Phases": (ProofStatus.PROVED, ("unchanged time.time()",)),
        "Timed": (ProofStatus.PROVED, ()),
        "Augmented": (ProofStatus.PROVED, ()),
    }


def test_a_counter_of_the_class_comes_to_where_the_block_asks_for_it(prove: Prove) -> None:
    outcome = prove(
        """
        class Net(nn.HybridBlock):
            count = 0

            def hybrid_forward(self, F, x):
                type(self).count += 1
                return x * 2 if Net.count < 400 else x
        """
    )["Net"]
    assert outcome.status is ProofStatus.REFUTED
    assert (outcome.call or "").endswith("once Net.count has come to 400")
