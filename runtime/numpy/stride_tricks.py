"""``mx.np.stride_tricks``: what it exports there."""

from hybridlint.runtime.numpy import broadcast_arrays

__all__ = ["broadcast_arrays"]
