"""What the child is at, so that the parent can say where it ended when it ends."""

from __future__ import annotations

from typing import NamedTuple

#: What may be left out: whether guessed inputs also run compiled.
TRIAL = "trial"
#: What may be left out: looking at the blocks of the module that hold the one that is wanted.
SURROUNDINGS = "surroundings"
#: What may be left out: the place where the runs of a refuted block part.
PLACE = "place"


class Stage(NamedTuple):
    """A stage of the proof of one block.

    `variant` names a run that is compared with the eager one, which took `seconds`: where it ends the process, it
    differs. `optional` names what is left out next time where the process ends here.
    """

    stage: str
    variant: str | None = None
    seconds: float = 0.0
    optional: str | None = None


LOOKING = Stage("looking for inputs")
