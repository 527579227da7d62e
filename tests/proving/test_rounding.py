"""Gradients that cancel out leave rounding only, which is no difference."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.compare.differences import first_mismatch
from hybridlint.proving.child.runs.results import first_difference
from hybridlint.proving.child.runs.rounding import could_be_rounding, equal_in_double, nudge_parameters, within_rounding
from hybridlint.proving.child.runs.runs import CallPlan, Observation, PlannedCall
from hybridlint.proving.child.runs.variants import COMPILED

CALL = PlannedCall((("N", 2),), 0, "train")
WEIGHT = np.array([300.0, -20.0], np.float32)


def _observed(bias: float, weight: np.ndarray = WEIGHT, **more: np.ndarray) -> Observation:
    gradients = {"gradient of bias": np.array([bias], np.float32), "gradient of weight": weight}
    return Observation(CALL, {**gradients, **more})


@pytest.mark.parametrize(
    ("moved", "found", "rounded"),
    [
        (5e-5, 9e-5, True),
        (5e-6, 9e-5, False),
        (0.5, 0.4, False),
    ],
    ids=["as rounding moves it", "more than that", "too large for rounding"],
)
def test_a_gradient_may_differ_as_rounding_the_parameters_moves_it(moved: float, found: float, rounded: bool) -> None:
    names = within_rounding(_observed(-4e-6), _observed(moved), _observed(found))
    assert ("gradient of bias" in names) is rounded


@pytest.mark.parametrize(
    ("found", "wide", "rounded"),
    [(9e-5, 1e-15, True), (9e-5, 1e-5, False), (0.5, 1e-15, False)],
    ids=["equal in float64", "unequal in float64", "too large for rounding"],
)
def test_a_gradient_may_differ_in_float32_that_agrees_in_float64(found: float, wide: float, rounded: bool) -> None:
    in_double = (_observed(-1e-15), _observed(wide))
    assert ("gradient of bias" in equal_in_double(_observed(-4e-6), _observed(found), in_double)) is rounded


@pytest.mark.parametrize(("found", "rounded"), [(0.3, True), (0.6, False)], ids=["as far as eager", "much further"])
def test_float32_may_move_both_runs_from_float64(found: float, rounded: bool) -> None:
    in_double = (_observed(1e-15), _observed(-1e-15))
    assert ("gradient of bias" in equal_in_double(_observed(0.1), _observed(found), in_double)) is rounded


def test_outputs_and_gradients_that_are_missing_are_compared_as_they_are() -> None:
    some = np.array([1e-5], np.float32)
    expected, found = _observed(0.0, output=some), Observation(CALL, {"output": -some})
    assert within_rounding(expected, _observed(5e-5, output=some * 3), found) == []


@pytest.mark.parametrize(
    ("moved", "found", "rounded"),
    [(2e-5, 6e-5, True), (1e-5, 6e-5, False), (1.0, 2e-4, False)],
    ids=["as rounding moves it", "more than that", "too large for rounding"],
)
def test_a_small_difference_of_an_output_may_be_as_large_as_rounding_moves_it(
    moved: float, found: float, rounded: bool
) -> None:
    def output(value: float) -> Observation:
        return _observed(0.0, **{"output[0]": np.array([value, 1.0], np.float32)})

    names = within_rounding(output(0.0), output(moved), output(found))
    assert ("output[0]" in names) is rounded
    difference = first_difference(output(0.0).results, output(found).results)
    assert difference is not None
    assert could_be_rounding(output(0.0).results, "output[0]", difference.largest_absolute) is (found < 1e-4)


def test_whole_numbers_and_other_kinds_of_outputs_are_never_rounded() -> None:
    count = Observation(CALL, {"output": np.array([7], np.int32)})
    moved = Observation(CALL, {"output": np.array([8], np.int32)})
    assert within_rounding(count, moved, moved) == []
    assert not could_be_rounding(count.results, "output", 0.0)
    assert not could_be_rounding({"output": WEIGHT}, "output", None)


def test_outputs_of_an_exported_graph_are_known_by_their_position() -> None:
    def nested(value: float) -> Observation:
        return Observation(CALL, {"output[0][0]": WEIGHT, "output[0][1]": np.array([value, 1.0], np.float32)})

    def flat(value: float) -> Observation:
        return Observation(CALL, {"output[0]": WEIGHT, "output[1]": np.array([value, 1.0], np.float32)})

    assert within_rounding(nested(0.0), nested(2e-5), flat(6e-5), exported=True) == ["output[0]", "output[1]"]
    assert within_rounding(nested(0.0), nested(2e-5), flat(6e-5)) == []


@pytest.mark.parametrize("lost", ["expected", "found"])
def test_a_missing_gradient_is_one_of_zeros(lost: str) -> None:
    some = {"output": WEIGHT}
    for value, same in ((0.0, True), (1.0, False)):
        more = {**some, "gradient of x": np.full(2, value, np.float32)}
        expected, found = (some, more) if lost == "expected" else (more, some)
        assert (first_difference(expected, found) is None) is same


def test_runs_part_where_more_than_rounding_differs() -> None:
    expected, rounded = [_observed(-4e-6)], {CALL: ["gradient of bias"]}
    assert first_mismatch(expected, [_observed(9e-5)], COMPILED) is not None
    assert first_mismatch(expected, [_observed(9e-5)], COMPILED, rounded=rounded) is None
    gap = first_mismatch(expected, [_observed(9e-5, WEIGHT * np.float32(1.01))], COMPILED, rounded=rounded)
    assert gap is not None
    assert gap.difference is not None
    assert gap.difference.what == "gradient of weight"


def test_each_number_is_rounded_to_a_neighbour_and_zeros_and_counts_stay() -> None:
    weight, count = np.array([1.5, -2.0, 0.0], np.float32), np.array([3], np.int64)
    found = nudge_parameters(CallPlan({}, [CALL], {"w": weight, "n": count}, {}, [])).values
    assert (np.abs(found["w"] - weight) > 0).tolist() == [True, True, False]
    assert np.allclose(found["w"], weight, rtol=2e-7)
    assert found["n"] is count


NORMALIZED = """
from mxnet.gluon import HybridBlock, nn


class Wide(HybridBlock):
    def __init__(self, units=256, hidden=2048, **kwargs):
        super().__init__(**kwargs)
        self.up = nn.Dense(hidden, activation="relu", flatten=False, in_units=units)
        self.down = nn.Dense(units, flatten=False, in_units=hidden)
        self.norm = nn.LayerNorm(in_channels=units)

    def hybrid_forward(self, F, x):
        return self.norm(self.down(self.up(x)) + x)
"""


def test_parameters_change_without_swamping_a_normalization(prove: Callable[..., dict[str, ProofOutcome]]) -> None:
    assert prove(NORMALIZED)["Wide"].status is ProofStatus.PROVED


SQUASHED = """
from mxnet.gluon import HybridBlock, nn


class Squashed(HybridBlock):
    def __init__(self, units=512, **kwargs):
        super().__init__(**kwargs)
        self.norm = nn.LayerNorm(in_channels=units)
        self.pool = nn.Dense(units, activation="tanh", flatten=False, in_units=units)

    def hybrid_forward(self, F, x):
        return self.pool(self.norm(F.LeakyReLU(x, act_type="gelu")) * 20)
"""


def test_a_sum_that_cancels_out_before_it_is_squashed(prove: Callable[..., dict[str, ProofOutcome]]) -> None:
    assert prove(SQUASHED)["Squashed"].status is ProofStatus.PROVED
