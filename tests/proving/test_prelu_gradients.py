"""Gradients of a PReLU's slope, which graphs multiply by the slope: a proof is for the others alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.runs.prelu_gradients import multiplied_gradients, restrictions
from hybridlint.proving.child.runs.runs import CallPlan, Observation, PlannedCall

Prove = Callable[..., dict[str, ProofOutcome]]

NETS = """
class Between(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.one, self.act, self.two = nn.Dense(4, in_units=3), nn.PReLU(), nn.Dense(2, in_units=4)

    def hybrid_forward(self, F, x):
        return self.two(self.act(self.one(x)))


class Last(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.one, self.act = nn.Dense(4, in_units=3), nn.PReLU()

    def hybrid_forward(self, F, x):
        return self.act(self.one(x))
"""

CALL = PlannedCall((("N", 2),), 0, "train")
SLOPE = np.array([0.25, 0.5], np.float32)
PLAN = CallPlan({}, [CALL], {"alpha": SLOPE}, {"alpha": "act.alpha"}, ["alpha"])


def _seen(gradient: list[float], name: str = "gradient of alpha") -> Observation:
    return Observation(CALL, {name: np.array(gradient, np.float32)})


@pytest.mark.parametrize(
    ("found", "is_product"),
    [([1, 4], True), ([4 * 0.2875, 8 * 0.475], True), ([4, 8], False), ([1, 8], False), ([1.01, 4], False)],
    ids=["by the slope", "by the slope after a step", "the same", "in part", "by another number"],
)
def test_a_gradient_multiplied_by_its_parameter_is_told_from_others(found: list[float], is_product: bool) -> None:
    assert multiplied_gradients(_seen([4, 8]), _seen(found), PLAN) == (["gradient of alpha"] if is_product else [])


def test_only_gradients_of_parameters_are_asked() -> None:
    assert multiplied_gradients(_seen([4, 8], "alpha"), _seen([1, 4], "alpha"), PLAN) == []
    assert multiplied_gradients(_seen([4, 8], "gradient of x"), _seen([1, 4], "gradient of x"), PLAN) == []
    assert multiplied_gradients(_seen([4, 8]), Observation(CALL, {}), PLAN) == []


def test_many_slopes_are_told_in_one_sentence() -> None:
    assert restrictions([]) == []
    (told,) = restrictions(["gradient of a", "gradient of b", "gradient of c"])
    assert "gradient of a and 2 more slopes" in told


def test_a_prelu_between_layers_is_proved_but_for_its_slope(prove: Prove) -> None:
    outcomes = prove(NETS)
    assert {name: outcome.status for name, outcome in outcomes.items()} == dict.fromkeys(outcomes, ProofStatus.PROVED)
    (told,) = outcomes["Between"].only
    assert told.startswith("results other than the gradient of ")
    assert "prelu" in told
    assert outcomes["Last"].only == ()
