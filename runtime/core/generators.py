"""Random state: one generator a context, shared by eager and compiled runs so that both draw alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_generators: dict[str, Any] = {}
#: Seeds by context, and the one of all others, for generators that are made later.
_seeds: dict[str, int] = {}
_ALL = "all"


def generator(ctx: object = "cpu(0)", make: Callable[[int | None], Any] = np.random.default_rng) -> Any:
    """Return the generator of a context, which `make` makes of a seed; of None, from the system's entropy."""
    key = str(ctx)
    found = _generators.get(key)
    if found is None:
        found = _generators[key] = make(_seeds.get(key, _seeds.get(_ALL)))
    return found


def seed(seed_state: int, ctx: object = _ALL) -> None:
    """Seed the generator of a context, or of all, so that runs repeat. The numbers are not MXNet's own."""
    if not isinstance(seed_state, (int, np.integer)):
        raise ValueError("seed_state must be int")
    if ctx == _ALL:
        _generators.clear()
        _seeds.clear()
    _generators.pop(str(ctx), None)
    _seeds[str(ctx)] = abs(int(seed_state))
