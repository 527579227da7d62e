"""The same calls in another order: values frozen at the first trace show only in some orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hybridlint.proving.child.inputs.specs import BATCH
from hybridlint.proving.child.runs.runs import Call


def another_order(calls: Sequence[Call]) -> list[Call]:
    """Return calls that train first, then predict, with other sizes between them, a second instance and a larger batch.

    Only modes of the given calls are used, which predict first.
    """
    return [replace(call, turn=turn) for turn, call in enumerate(_ordered(calls), 1)]


def _ordered(calls: Sequence[Call]) -> Iterator[Call]:
    first = calls[0]
    others = [call.sizes for call in calls if call.sizes != first.sizes]
    modes = {call.mode for call in calls}
    both = [mode for mode in ("train", "predict") if mode in modes]
    yield from (Call(first.sizes, first.flavour, mode) for mode in both)
    yield from (Call(others[0], first.flavour, mode) for mode in reversed(both) if others)
    yield from (Call(first.sizes, first.flavour, mode, instance=1) for mode in both)
    yield Call(first.sizes, first.flavour, both[-1])
    # The larger batch comes last, because the eager run may reject it. It is large, because integer fractions of small
    # batches are often equal.
    larger = _larger(calls)
    yield from (Call(larger, first.flavour, mode) for mode in reversed(both) if larger != first.sizes)


def _larger(calls: Sequence[Call]) -> tuple[tuple[str, int], ...]:
    """Return the first sizes with a batch as large as all batches together."""
    batches = {dict(call.sizes).get(BATCH, 0) for call in calls}
    return tuple((name, sum(batches) if name == BATCH else size) for name, size in calls[0].sizes)
