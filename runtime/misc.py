"""``mx.misc``: schedules of learning rates under the name that they had before ``mx.lr_scheduler``."""

from hybridlint.runtime.lr_scheduler import FactorScheduler
from hybridlint.runtime.lr_scheduler import LRScheduler as LearningRateScheduler

__all__ = ["FactorScheduler", "LearningRateScheduler"]
