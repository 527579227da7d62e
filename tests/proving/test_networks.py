"""Networks that functions build out of layers are verified by the names of the functions."""

from __future__ import annotations

from collections.abc import Callable

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus

Prove = Callable[..., dict[str, ProofOutcome]]

LAYERS = """
def get_net(classes, dropout=0.5):
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Dense(8), nn.Dropout(dropout), nn.HybridLambda(lambda F, x: {value}))
        net.add(nn.Dense(classes))
    net.initialize()
    net.hybridize()
    return net
"""


def test_a_function_that_builds_a_network_is_verified_by_its_name(prove: Prove) -> None:
    outcomes = prove(LAYERS.format(value="F.relu(x)"))
    assert {name: outcome.status for name, outcome in outcomes.items()} == {"get_net": ProofStatus.PROVED}
    assert outcomes["get_net"].row == 9
    assert outcomes["get_net"].setup == "(classes=4) on x (N, 6)"


def test_a_network_that_was_hybridized_where_it_is_built_is_compared_with_its_eager_run(prove: Prove) -> None:
    outcome = prove(LAYERS.format(value="x if x.sum() > 0 else -x"))["get_net"]
    assert outcome.status is ProofStatus.REFUTED
    assert outcome.variant == "compiled"
    assert outcome.failed_row == 12


def test_lambdas_that_build_are_networks_too(prove: Prove) -> None:
    outcomes = prove("make = lambda: nn.HybridLambda(lambda F, x: x * x.shape[0])\n")
    assert {name: outcome.status for name, outcome in outcomes.items()} == {"make": ProofStatus.REFUTED}


def test_the_parts_of_a_plain_sequence_are_compiled(prove: Prove) -> None:
    text = """
        def good():
            net = nn.Sequential()
            net.add(nn.Dense(3), nn.HybridLambda(lambda F, x: F.relu(x)))
            return net

        def bad():
            net = nn.Sequential()
            net.add(nn.Dense(3), nn.HybridLambda(lambda F, x: F.relu(x) * len(x)))
            return net
    """
    outcomes = prove(text)
    assert {name: outcome.status for name, outcome in outcomes.items()} == {
        "good": ProofStatus.PROVED,
        "bad": ProofStatus.REFUTED,
    }
    notes = {ran.name: ran.note for ran in outcomes["good"].variants}
    assert notes["exported and imported"] == "only its parts are hybrid"


def test_a_class_that_a_function_defines_and_returns_is_verified_as_what_it_builds(prove: Prove) -> None:
    text = """
        def scaled(factor=2):
            class Scale(nn.HybridBlock):
                def hybrid_forward(self, F, x):
                    return x * factor * x.ndim
            return Scale()
    """
    outcomes = prove(text)
    assert {name: outcome.status for name, outcome in outcomes.items()} == {"scaled": ProofStatus.REFUTED}


def test_the_fixes_of_a_network_are_proved(prove: Prove) -> None:
    before, after = LAYERS.format(value="x[:, 0:1]"), LAYERS.format(value="F.slice_axis(x, axis=1, begin=0, end=1)")
    assert prove(before, after)["get_net"].status is ProofStatus.PROVED
    wrong = LAYERS.format(value="F.slice_axis(x, axis=1, begin=1, end=2)")
    assert prove(before, wrong)["get_net"].status is ProofStatus.REFUTED


def test_a_comment_above_the_function_says_how_it_is_called(prove: Prove) -> None:
    text = """
        # hybridlint: verify(args=(5,), x=("N", 7))
        def get_net(classes):
            net = nn.HybridSequential()
            net.add(nn.Dense(classes))
            return net
    """
    assert prove(text)["get_net"].setup == "(5) on x (N, 7)"


def test_what_does_more_than_to_build_is_not_called(prove: Prove, tmp_path: object) -> None:
    text = """
        CALLED = []

        def announced():
            print("building")
            return nn.HybridSequential()

        def saved():
            net = nn.HybridSequential()
            net.save_parameters("weights")
            return net

        def train():
            return nn.HybridSequential()
    """
    assert prove(text) == {}


def test_parts_and_whole_classes_are_no_networks_of_their_own(prove: Prove) -> None:
    """They are verified with what holds them, or as the class that they are."""
    text = """
        def part(width):
            net = nn.HybridSequential()
            net.add(nn.Dense(width))
            return net

        class Net(nn.HybridBlock):
            def __init__(self, **kwargs):
                super().__init__(**kwargs)
                self.body = part(4)

            def hybrid_forward(self, F, x):
                return self.body(x)

        def whole():
            return Net()

        def layer():
            return nn.Dense(3)
    """
    assert set(prove(text)) == {"Net"}
