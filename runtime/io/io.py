"""``mx.io.io``: the names exported there."""

from hybridlint.runtime.io import *  # noqa: F403
from hybridlint.runtime.io.utils import _getdata_by_idx, _has_instance, _init_data  # noqa: F401  (projects call them)
