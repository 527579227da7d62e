"""``mx.npx.random``."""

from __future__ import annotations

from hybridlint.runtime.numpy_functions.eager import WORLD as _WORLD
from hybridlint.runtime.numpy_functions.functions import EXTENSION_RANDOM as _TABLE
from hybridlint.runtime.numpy_functions.world import fill as _fill
from hybridlint.runtime.random import seed  # noqa: F401  (part of the namespace)

__getattr__, __dir__ = _fill(globals(), _TABLE, _WORLD)
