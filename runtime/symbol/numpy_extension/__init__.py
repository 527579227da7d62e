"""``F.npx`` of traced code."""

from __future__ import annotations

from hybridlint.runtime.numpy_functions.functions import EXTENSION as _TABLE
from hybridlint.runtime.numpy_functions.traced import WORLD as _WORLD
from hybridlint.runtime.numpy_functions.world import fill as _fill

_SUBMODULES = ("image", "random")

__getattr__, __dir__ = _fill(globals(), _TABLE, _WORLD)
