"""``mx.image.image``: the names exported there."""

from hybridlint.runtime.image import *  # noqa: F403
from hybridlint.runtime.image.geometry import get_interp_method as _get_interp_method  # noqa: F401  (projects call it)
