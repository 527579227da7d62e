"""Lists of inputs that were guessed longer than the graph uses."""

from __future__ import annotations

from hybridlint.core.proof_outcome import ProofStatus
from tests.proving.conftest import Prove


def test_states_beyond_those_that_the_code_takes_are_left_out(prove: Prove) -> None:
    outcome = prove(
        """
        class Layers(nn.HybridBlock):
            def __init__(self, units=5, count=1):
                super().__init__()
                self.cells = nn.HybridSequential()
                for _ in range(count):
                    self.cells.add(mx.gluon.rnn.LSTMCell(units))

            def hybrid_forward(self, F, x, states):
                for k, cell in enumerate(self.cells):
                    x, new = cell(x, states[2 * k : 2 * k + 2])
                return x

        class Encoder(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.layers = Layers()
                self.out = nn.Dense(3)

            def walk(self, layers, x, states):
                return layers(x, states)

            def hybrid_forward(self, F, x, states):
                return self.out(self.walk(self.layers, x, states))
        """
    )["Encoder"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason


PAIRS = """
        class Pairs(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.layer = LAYER

            def hybrid_forward(self, F, features):
                total = 0
                for k in range(len(features) - 1):
                    total = total + self.layer(features[k])
                return total
        """


def test_an_item_that_no_number_of_items_makes_used_is_refuted(prove: Prove) -> None:
    outcome = prove(PAIRS.replace("LAYER", "nn.Dense(3)"))["Pairs"]
    assert outcome.status is ProofStatus.REFUTED, outcome.reason


def test_an_item_that_no_number_of_items_makes_used_does_not_matter_where_all_shapes_are_known(prove: Prove) -> None:
    outcome = prove(PAIRS.replace("LAYER", "nn.Activation('tanh')"))["Pairs"]
    assert (outcome.status, outcome.only) == (
        ProofStatus.PROVED,
        ("lists: an array in place of `features` runs eagerly too",),
    )
