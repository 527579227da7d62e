"""Random state: one generator a context, shared by eager and compiled runs so that both draw alike."""

from __future__ import annotations

import numpy as np

_generators: dict[str, np.random.Generator] = {}


def generator(ctx: object = "cpu(0)") -> np.random.Generator:
    """Return the generator of a context; without a seed it starts from the operating system's entropy."""
    key = str(ctx)
    found = _generators.get(key)
    if found is None:
        found = _generators[key] = np.random.default_rng()
    return found


def seed(seed_state: int, ctx: object = "all") -> None:
    """Seed the generator of a context, or of all, so that runs repeat. The numbers are not MXNet's own."""
    if not isinstance(seed_state, (int, np.integer)):
        raise ValueError("seed_state must be int")
    if ctx != "all":
        _generators[str(ctx)] = np.random.default_rng(abs(int(seed_state)))
        return
    for key in {"cpu(0)", *_generators}:
        _generators[key] = np.random.default_rng(abs(int(seed_state)))
