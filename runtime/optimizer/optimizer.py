"""``mx.optimizer.optimizer``: the names exported there."""

from hybridlint.runtime.optimizer import *  # noqa: F403
