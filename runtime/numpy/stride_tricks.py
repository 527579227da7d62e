"""``mx.np.stride_tricks``: the names exported there."""

from hybridlint.runtime.numpy import broadcast_arrays

__all__ = ["broadcast_arrays"]
