"""``mx.np.function_base``: what it exports there."""

from hybridlint.runtime.numpy import meshgrid

__all__ = ["meshgrid"]
