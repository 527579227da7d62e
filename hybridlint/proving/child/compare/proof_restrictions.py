"""The restrictions that a proof must state, because some modes, batch sizes or other sizes were not run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hybridlint.proving.child.runs.runs import MODES, PlannedCall
from hybridlint.proving.child.runs.setup import Setup
from hybridlint.proving.child.specs.spec import BATCH, tensors

_VALUE = re.compile(r"\w+=")

#: The modes of calls in the user's words.
_MODES = {
    "predict": "predict mode without gradients",
    "predict, recorded": "predict mode with gradients",
    "train": "train mode",
}


def scope(setup: Setup, calls: Sequence[PlannedCall]) -> list[str]:
    """Return the restrictions of a proof in which these calls were run, as texts; empty if there are none."""
    return [*_modes(calls), *_batches(setup, calls), *setup.only]


def in_words(only: Sequence[str]) -> str:
    """Return the restrictions as the beginning of a verdict's reason, "" if there are none.

    Values of arguments, such as ``units=4``, are one restriction together.
    """
    values = [text for text in only if _VALUE.match(text)]
    others = [text for text in only if not _VALUE.match(text)]
    return f"only for {', and for '.join([*([', '.join(values)] if values else []), *others])}: " if only else ""


def _modes(calls: Sequence[PlannedCall]) -> Iterator[str]:
    ran = {call.mode for call in calls}
    if "train" not in ran:
        yield "predict mode" if len(ran) > 1 else _MODES["predict"]
    elif ran != set(MODES):
        yield " and ".join(_MODES[mode] for mode in reversed(MODES) if mode in ran)


def _batches(setup: Setup, calls: Sequence[PlannedCall]) -> Iterator[str]:
    arrays = tensors(list(setup.inputs.values()))
    batches = {dict(call.sizes).get(BATCH) for call in calls}
    if arrays and len(batches) < 2:
        first = {spec.shape[0] if spec.shape else None for spec in arrays}
        (batch,) = batches if batches - {None} else first if len(first) == 1 else {None}
        yield "one size of the batch" if batch is None else f"batches of {batch}"
