"""``mx.np.fallback_linalg``: functions of ``np.linalg`` that numpy itself computes, on copies of the elements."""

from hybridlint.runtime.numpy import linalg

__all__ = ["cond", "lstsq", "matrix_power", "matrix_rank", "multi_dot", "qr"]

cond, lstsq, matrix_power, matrix_rank, multi_dot, qr = (getattr(linalg, name) for name in __all__)
