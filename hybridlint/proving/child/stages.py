"""What the child is at, so that the parent can say where it ended when it ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

#: What may be left out: whether guessed inputs also run compiled.
TRIAL = "trial"
#: What may be left out: looking at the blocks of the module that hold the one that is wanted.
SURROUNDINGS = "surroundings"
#: What may be left out: the place where the runs of a refuted block part.
PLACE = "place"
#: What is said of a run for which no time is left.
LATE = "the time limit is too short for it"


class Stage(NamedTuple):
    """A stage of the proof of one block.

    `variant` names a run that is compared with the eager one, which took `seconds`: where it ends the process, it
    differs. `optional` names what is left out next time where the process ends here. `verdict` is what is known by
    then, where that is one: it stays where time runs out here.
    """

    stage: str
    variant: str | None = None
    seconds: float = 0.0
    optional: str | None = None
    verdict: Mapping[str, Any] | None = None


LOOKING = Stage("looking for inputs")
