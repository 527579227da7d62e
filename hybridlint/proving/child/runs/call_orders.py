"""The calls of a proof in another order, because some orders hide values that are frozen at the first trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hybridlint.proving.child.runs.runs import PlannedCall
from hybridlint.proving.child.specs.spec import BATCH


def another_order(calls: Sequence[PlannedCall]) -> list[PlannedCall]:
    """Return calls in an order unlike that of `calls`, which begin in predict mode.

    They begin in train mode, if `calls` use it. Then come other sizes, a second instance of the class, the first sizes
    again, and last a larger batch.
    """
    return [replace(call, turn=turn) for turn, call in enumerate(_ordered(calls), 1)]


def _ordered(calls: Sequence[PlannedCall]) -> Iterator[PlannedCall]:
    first = calls[0]
    others = [call.sizes for call in calls if call.sizes != first.sizes]
    modes = {call.mode for call in calls}
    both = [mode for mode in ("train", "predict") if mode in modes]
    yield from (PlannedCall(first.sizes, first.flavour, mode) for mode in both)
    yield from (PlannedCall(others[0], first.flavour, mode) for mode in reversed(both) if others)
    yield from (PlannedCall(first.sizes, first.flavour, mode, instance=1) for mode in both)
    yield PlannedCall(first.sizes, first.flavour, both[-1])
    # The larger batch comes last, because the eager run may reject it. It is large, because integer fractions of small
    # batches are often equal.
    larger = _larger(calls)
    yield from (PlannedCall(larger, first.flavour, mode) for mode in reversed(both) if larger != first.sizes)


def _larger(calls: Sequence[PlannedCall]) -> tuple[tuple[str, int], ...]:
    """Return the sizes of the first call with the sum of all batch sizes as the batch."""
    batches = {dict(call.sizes).get(BATCH, 0) for call in calls}
    return tuple((name, sum(batches) if name == BATCH else size) for name, size in calls[0].sizes)
