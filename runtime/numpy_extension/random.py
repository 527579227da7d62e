"""``mx.npx.random``."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.numpy_functions.eager import WORLD as _WORLD
from hybridlint.runtime.numpy_functions.functions import EXTENSION_RANDOM as _TABLE
from hybridlint.runtime.numpy_functions.world import fill as _fill
from hybridlint.runtime.random import seed as _seed


def seed(seed: int, ctx: Any = "all") -> None:
    """Seed the random numbers of a context, or of all. Raises ValueError for a seed that is no integer."""
    _seed(seed, ctx)


__getattr__, __dir__ = _fill(globals(), _TABLE, _WORLD)
