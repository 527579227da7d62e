"""A proof holds for what its results show: a further run without any is left out with a note and spoils nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from hybridlint.proving.child.comparison_evidence import ProofEvidence
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.result_verifier import NO_RESULTS, ResultVerifier
from hybridlint.proving.child.runs.runs import Observation, PlannedCall
from hybridlint.proving.child.runs.variants import COMPILED, HALF, REORDERED
from hybridlint.proving.child.wire import WireMessage

CALL = PlannedCall((("N", 2),), 0, "predict")
WORKED = Observation(CALL, {"output[0]": np.ones(2, "float32")}, None, ran=True)
FAILED = Observation(CALL, {}, Failure("ValueError: no", None), ran=False)


def judged(claimed: Sequence[str], *agreed: tuple[str, Observation]) -> Mapping[str, Any]:
    """Return the outcome of a claim that lists the runs `claimed`, of which those in `agreed` sent results."""
    court = ResultVerifier(lambda _graph: "none is run", fixed=False)
    trial = ProofEvidence(lambda message, arrays: court.take(WireMessage(message, arrays))).trial()
    for name, seen in agreed:
        trial.agreed(name, "as it stands", [seen], [seen])
    variants = [{"name": name, "note": None} for name in claimed]
    return court.judged({"status": "proved", "trial": trial.number, "variants": variants})


def notes(outcome: Mapping[str, Any]) -> dict[str, str | None]:
    return {variant["name"]: variant["note"] for variant in outcome["variants"]}


def test_a_further_run_whose_results_did_not_arrive_is_left_out() -> None:
    outcome = judged([COMPILED.name, HALF.name], (COMPILED.name, WORKED))
    assert outcome["status"] == "proved"
    assert notes(outcome) == {COMPILED.name: None, HALF.name: NO_RESULTS}


def test_a_further_run_in_which_no_call_works_is_left_out() -> None:
    outcome = judged([COMPILED.name, REORDERED.name], (COMPILED.name, WORKED), (REORDERED.name, FAILED))
    assert outcome["status"] == "proved"
    assert notes(outcome) == {COMPILED.name: None, REORDERED.name: NO_RESULTS}


@pytest.mark.parametrize("agreed", [[(REORDERED.name, WORKED)], [(COMPILED.name, FAILED)]])
def test_without_results_of_the_compiled_run_there_is_no_proof(agreed: list[tuple[str, Observation]]) -> None:
    assert judged([COMPILED.name, REORDERED.name], *agreed)["status"] == "not run"
