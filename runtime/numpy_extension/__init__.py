"""``mx.npx``: operators of neural networks on arrays of numpy mode, and the switches of that mode."""

from __future__ import annotations

from hybridlint.runtime.context import Context, cpu, cpu_pinned, current_context, gpu, num_gpus
from hybridlint.runtime.ndarray import waitall
from hybridlint.runtime.numpy_extension.files import load, save
from hybridlint.runtime.numpy_functions.eager import WORLD as _WORLD
from hybridlint.runtime.numpy_functions.functions import EXTENSION as _TABLE
from hybridlint.runtime.numpy_functions.world import fill as _fill
from hybridlint.runtime.util import is_np_array, is_np_shape, reset_np, set_np

_SUBMODULES = ("image", "random")

__getattr__, __dir__ = _fill(globals(), _TABLE, _WORLD)
