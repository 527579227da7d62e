"""The stages of the child's work, which the parent uses if the child ends or takes too long."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hybridlint.core import schema
from hybridlint.core.proof_outcome import OUTCOME

#: Optional work: running guessed inputs compiled as well.
TRIAL = "trial"
#: Optional work: building and running larger blocks that contain the block.
SURROUNDINGS = "surroundings"
#: Optional work: trying other sizes than those of a call that the project writes out.
OTHER_SIZES = "other sizes than those of the call"
#: Optional work: running what was recorded of a real run, which may take as long as that did.
RECORDED = "the recorded run"
#: Optional work: locating where the runs of a refuted block differ.
PLACE = "place"
#: The note for a run for which no time is left.
LATE = "the time limit is too short for it"


class Stage(NamedTuple):
    """A stage of the proof of one block.

    `variant` names a run that is compared with the eager run, which took `seconds`; if the process ends in it, that
    refutes the block. `optional` names work that a new child leaves out if the process ends in this stage. `verdict` is
    the verdict without this stage, used if time runs out in it. `within` are the seconds that it may take, None for
    what the block's limit leaves.
    """

    stage: str
    variant: str | None = None
    seconds: float = 0.0
    optional: str | None = None
    verdict: Mapping[str, Any] | None = None
    within: float | None = None


#: The fields of a message about a stage.
STAGE = {
    "stage": schema.text(),
    "variant": schema.optional(schema.text()),
    "seconds": schema.seconds,
    "optional": schema.optional(schema.exact_text(100_000)),
    "verdict": schema.optional(OUTCOME),
    "within": schema.optional(schema.seconds),
}
#: What a stage says while the module is imported.
IMPORTING = "importing the module"
IMPORTING_FIXED = "importing the fixed module"
LOOKING = Stage("looking for inputs")
