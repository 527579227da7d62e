"""``F.np.random`` of traced code."""

from __future__ import annotations

from hybridlint.runtime.facts.surface import NAMESPACE_LACKS as _LACKS
from hybridlint.runtime.numpy_functions.functions import RANDOM as _TABLE
from hybridlint.runtime.numpy_functions.traced import WORLD as _WORLD
from hybridlint.runtime.numpy_functions.world import fill as _fill

_SUBMODULES = ()

__getattr__, __dir__ = _fill(globals(), _TABLE, _WORLD, _LACKS["np", "random"])
