"""Random state: one generator a context, shared by eager and compiled runs so that both draw alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

_generators: dict[str, Any] = {}
#: Seeds by context, and the one of all others, for generators that are made later.
_seeds: dict[str, int] = {}
_ALL = "all"


class _Unordered:
    """A generator whose draws depend on its seed and their own arguments, and not on the draws before."""

    def __init__(self, make: Callable[[int | None], Any], seed_state: int | None) -> None:
        self._make = make
        self._seed = int(np.random.default_rng().integers(2**31)) if seed_state is None else seed_state

    def __getattr__(self, name: str) -> Any:
        return getattr(self._make(self._seed), name)


class _Order:
    """Whether generators that are made from now on draw in order, each number after the one before."""

    kept = True


def generator(ctx: object = "cpu(0)", make: Callable[[int | None], Any] = np.random.default_rng) -> Any:
    """Return the generator of a context, which `make` makes of a seed; of None, from the system's entropy."""
    key = str(ctx)
    found = _generators.get(key)
    if found is None:
        start = _seeds.get(key, _seeds.get(_ALL))
        found = _generators[key] = make(start) if _Order.kept else _Unordered(make, start)
    return found


@contextmanager
def unordered_() -> Iterator[None]:
    """Let each draw depend on the seed and its own arguments alone, so that code may draw in any order. Not MXNet's."""
    kept = _Order.kept
    _Order.kept = False
    _generators.clear()
    try:
        yield
    finally:
        _Order.kept = kept
        _generators.clear()


def seed(seed_state: int, ctx: object = _ALL) -> None:
    """Seed the generator of a context, or of all, so that runs repeat. The numbers are not MXNet's own."""
    if not isinstance(seed_state, (int, np.integer)):
        raise ValueError("seed_state must be int")
    if ctx == _ALL:
        _generators.clear()
        _seeds.clear()
    _generators.pop(str(ctx), None)
    _seeds[str(ctx)] = abs(int(seed_state))
