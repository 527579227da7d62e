"""``mx.np.io``: arrays read from text."""

from hybridlint.runtime.numpy.multiarray import genfromtxt

__all__ = ["genfromtxt"]
