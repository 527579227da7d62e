"""``mx.optimizer.optimizer``: what it exports there."""

from hybridlint.runtime.optimizer import *  # noqa: F403
