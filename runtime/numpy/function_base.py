"""``mx.np.function_base``: the names exported there."""

from hybridlint.runtime.numpy import meshgrid

__all__ = ["meshgrid"]
