"""``mx.io.io``: the names exported there."""

from hybridlint.runtime.io import *  # noqa: F403
from hybridlint.runtime.io.batches import _named as _init_data  # noqa: F401  (projects call it)
