"""Stages of the child's work, so that the parent can say what the child was doing when it ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

#: Optional work: running guessed inputs compiled as well.
TRIAL = "trial"
#: Optional work: examining the module's blocks that contain the one to be judged.
SURROUNDINGS = "surroundings"
#: Optional work: locating where the runs of a refuted block differ.
PLACE = "place"
#: The note for a run for which no time is left.
LATE = "the time limit is too short for it"


class Stage(NamedTuple):
    """A stage of the proof of one block.

    `variant` names a run that is compared with the eager one, which took `seconds`: if this run ends the process, that
    is a difference. `optional` names work that is left out next time if the process ends here. `verdict` is the verdict
    so far, if there is one; it stands if time runs out here.
    """

    stage: str
    variant: str | None = None
    seconds: float = 0.0
    optional: str | None = None
    verdict: Mapping[str, Any] | None = None


LOOKING = Stage("looking for inputs")
