"""``mx.gluon.contrib``: layers beyond the core."""

from hybridlint.runtime.gluon.contrib import nn

__all__ = ["nn"]
