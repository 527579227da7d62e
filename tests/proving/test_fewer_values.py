"""Indices that come one for each item of a batch, and numbers on which code branches."""

from __future__ import annotations

from hybridlint.core.proof_outcome import ProofStatus
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.failure_site import FailureSite
from hybridlint.proving.child.inputs.repairs.fewer_values import with_fewer_values
from hybridlint.proving.child.specs.spec import TensorSpec
from tests.proving.conftest import Prove

INDEX = TensorSpec(("N", "T"), "float32", 0, 4, True)


def test_indices_lose_their_axis_of_steps() -> None:
    inputs = {"who": INDEX, "what": INDEX, "x": TensorSpec(("N", 3))}
    (found,) = with_fewer_values(inputs, Failure("sizes 5 and 10 do not broadcast", None))
    assert [str(spec) for spec in found.values()] == [
        *["(N,) of whole numbers below 4"] * 2,
        "(N, 3)",
    ]
    assert not list(with_fewer_values({"x": TensorSpec(("N", 3))}, Failure("do not broadcast", None)))


def test_what_a_branch_reads_is_one_number() -> None:
    failed = Failure(
        "ValueError: The truth value of an NDArray with multiple elements is ambiguous.",
        3,
        FailureSite("if a < 1:", ("a",)),
    )
    (found,) = with_fewer_values({"x": TensorSpec(("N", 3)), "a": TensorSpec(("N", 3))}, failed)
    assert [str(spec) for spec in found.values()] == ["(N, 3)", "(1,)"]


def test_scores_of_pairs_of_indices_are_proved(prove: Prove) -> None:
    outcome = prove(
        """
        class Affinity(nn.HybridBlock):
            def __init__(self, people=9, films=7):
                super().__init__()
                self.person = nn.Embedding(people, 6)
                self.film = nn.Embedding(films, 6)
                self.fame = nn.Embedding(films, 1)

            def hybrid_forward(self, F, person, film):
                match = (self.person(person) * self.film(film)).sum(axis=-1)
                return match + self.fame(film).reshape((-1,))
        """
    )["Affinity"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    assert "(N,)" in str(outcome.setup)


def test_a_branch_on_a_number_is_refuted(prove: Prove) -> None:
    outcome = prove(
        """
        class Faded(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.old = nn.Dense(4)
                self.new = nn.Dense(4)

            def hybrid_forward(self, F, x, share):
                out = self.new(x)
                if share < 1:
                    out = share * out + (1 - share) * self.old(x)
                return out
        """
    )["Faded"]
    assert outcome.status is ProofStatus.REFUTED, outcome.reason
