"""States that a block begins with, as its own ``begin_state`` makes them."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from hybridlint.verify.child.sightings import sighting
from hybridlint.verify.child.specs import BATCH, Spec

_BATCHES = (2, 3)


def begin_states(block: Any, names: Sequence[str]) -> dict[str, Spec]:
    """Return the inputs of these names that are states, where the block says what they are."""
    wanted = [name for name in names if "state" in name.lower()]
    if not wanted or not callable(getattr(block, "begin_state", None)):
        return {}
    zeros = importlib.import_module("mxnet").nd.zeros
    try:
        first, second = (block.begin_state(batch_size=batch, func=zeros) for batch in _BATCHES)
    except Exception:
        return {}
    found = sighting(({BATCH: _BATCHES[0]}, {BATCH: _BATCHES[1]}), [first], [second])
    # Sizes other than the batch would need values that nobody knows.
    if found is None or any(set(sizes) - {BATCH} for sizes in found.rounds):
        return {}
    return dict.fromkeys(wanted, found.inputs[0])
