"""``mx.gluon.contrib.data``: text data sets, and a sampler of every n-th element."""

from hybridlint.runtime.gluon.contrib.data import text
from hybridlint.runtime.gluon.contrib.data.sampler import IntervalSampler

__all__ = ["IntervalSampler", "text"]
