"""``F.npx.image`` of traced code."""

from __future__ import annotations

from hybridlint.runtime.numpy_functions.functions import EXTENSION_IMAGES as _TABLE
from hybridlint.runtime.numpy_functions.traced import WORLD as _WORLD
from hybridlint.runtime.numpy_functions.world import fill as _fill

_SUBMODULES = ()

__getattr__, __dir__ = _fill(globals(), _TABLE, _WORLD)
