"""A refutation is of the code as it is used: neither on inputs that fit by chance nor without an input it counts on."""

from __future__ import annotations

from collections.abc import Callable

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.build.values.bounds import order_bounds

Prove = Callable[..., dict[str, ProofOutcome]]


def test_an_option_whose_layer_only_an_optional_input_reaches_refutes_nothing(prove: Prove) -> None:
    outcome = prove(
        """
        class Gate(nn.HybridBlock):
            def __init__(self, units, use_context=False):
                super().__init__()
                self.body = nn.Dense(units, flatten=False)
                self.context = nn.Dense(units, flatten=False) if use_context else None

            def hybrid_forward(self, F, x, context=None):
                h = self.body(x)
                return h if context is None or self.context is None else h + self.context(context)

        def gate():
            return Gate(4, use_context=True)
        """
    )["Gate"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason


def test_a_layer_that_counts_only_with_an_input_that_cannot_be_guessed_refutes_nothing(prove: Prove) -> None:
    outcome = prove(
        """
        class Forecast(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.mean = nn.Dense(6)
                self.spread = nn.Dense(6)

            def hybrid_forward(self, F, past, future=None):
                mean, spread = self.mean(past), self.spread(past)
                if future is None:
                    return mean
                return F.reshape(future, (0, 6, 11)).sum(axis=2) * mean / spread
        """
    )["Forecast"]
    assert outcome.status is ProofStatus.NOT_RUN, outcome.reason
    assert "no inputs were found with `future`" in outcome.reason


def test_a_layer_that_no_optional_input_reaches_is_refuted(prove: Prove) -> None:
    block = """
    class Spare(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.used = nn.Dense(3)
            self.spare = nn.Dense(3)

        def hybrid_forward(self, F, x, shift=None):
            return self.used(x if shift is None else x + shift)
    """
    assert prove(block)["Spare"].status is ProofStatus.REFUTED


def test_an_array_that_is_added_along_a_batch_of_two_in_a_larger_block_refutes_nothing(prove: Prove) -> None:
    outcome = prove(
        """
        class Loss(nn.HybridBlock):
            def hybrid_forward(self, F, mean, spread, value, action, before, gain, back, old):
                ratio = F.exp(F.sum(-F.square((action - mean) / F.exp(spread)) - spread, axis=-1) - before)
                error = F.square(F.squeeze(value, axis=1) - back)
                return error + F.square(old - back) - F.minimum(ratio * gain, gain)

        class Policy(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.mean = nn.Dense(2, in_units=6)
                self.spread = self.params.get('spread', shape=(1, 2))

            def hybrid_forward(self, F, seen, spread):
                mean = self.mean(seen)
                return mean, F.broadcast_like(spread, mean)

        class Agent(gluon.Block):
            def __init__(self):
                super().__init__()
                self.policy = Policy()
                self.value = nn.Dense(1, in_units=6)
                self.loss = Loss()

            def forward(self, seen, action, before, gain, back, old):
                count = seen.shape[0]
                mean, spread = self.policy(seen)
                gain = gain - gain.mean()
                return self.loss(mean, spread, self.value(seen), action, before, gain, back, old).sum() / count
        """
    )["Loss"]
    assert outcome.status is not ProofStatus.REFUTED, outcome.reason


def test_the_ends_of_a_range_differ(prove: Prove) -> None:
    outcome = prove(
        """
        import random

        class Gain(nn.HybridBlock):
            def __init__(self, low, high):
                super().__init__()
                self.low, self.high = low, high

            def hybrid_forward(self, F, x):
                return x * random.uniform(self.low, self.high)
        """
    )["Gain"]
    assert outcome.status is not ProofStatus.PROVED
    assert order_bounds({"min_size": "4", "max_size": "4", "low": "0.5", "high": "0.5", "start": "4", "stop": "8"}) == {
        "min_size": "4",
        "max_size": "8",
        "low": "0.5",
        "high": "1.0",
        "start": "4",
        "stop": "8",
    }


def test_an_input_that_is_iterated_over_backwards_is_a_list(prove: Prove) -> None:
    outcome = prove(
        """
        class Stacks(nn.HybridBlock):
            def hybrid_forward(self, F, preds, target):
                total = 0
                for i, p in enumerate(reversed(preds)):
                    total = total + 0.5 ** i * F.mean(F.square(p - target), axis=0, exclude=True)
                return total
        """
    )["Stacks"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
