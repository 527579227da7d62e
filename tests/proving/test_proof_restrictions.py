"""The restrictions of a proof in words: values of arguments are one restriction together."""

from __future__ import annotations

import pytest

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.compare.proof_restrictions import in_words, scope
from hybridlint.proving.child.judging.alternative_uses import restrict_proof
from hybridlint.proving.child.runs.runs import MODES, PlannedCall
from hybridlint.proving.child.runs.setup import Setup

SAID = {
    "none": ((), ""),
    "one mode": (("predict mode",), "only for predict mode: "),
    "two restrictions": (("batches of 2", "calls without `y`"), "only for batches of 2, and for calls without `y`: "),
    "values": (("units=4", "predict mode", "flatten=True"), "only for units=4, flatten=True, and for predict mode: "),
}


@pytest.mark.parametrize(("only", "text"), SAID.values(), ids=SAID)
def test_restrictions_in_words(only: tuple[str, ...], text: str) -> None:
    assert in_words(only) == text


def test_a_restriction_is_said_once() -> None:
    proof = {"only": ["down=False"], "reason": "only for down=False: compiled = eager"}
    proof = restrict_proof(proof, ["down=False", "prefix=None"])
    assert proof["only"] == ["down=False", "prefix=None"]
    assert proof["reason"] == "only for down=False, prefix=None: compiled = eager"


@pytest.mark.parametrize(
    ("ran", "only"),
    [
        (list(MODES), []),
        (["predict"], ["predict mode without gradients"]),
        (["predict", "predict, recorded"], ["predict mode"]),
        (["predict", "train"], ["train mode and predict mode without gradients"]),
        (["predict, recorded", "train"], ["train mode and predict mode with gradients"]),
    ],
)
def test_modes_that_were_not_run_restrict_a_proof(ran: list[str], only: list[str]) -> None:
    setup = Setup(ConstructorArguments([], {}), {}, [{}], [0])

    assert scope(setup, [PlannedCall((), 0, mode) for mode in ran]) == only
