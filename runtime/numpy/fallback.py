"""``mx.np.fallback``: functions that numpy itself computes, on copies of the elements."""

from typing import Any

from hybridlint.runtime import numpy

__all__ = sorted(numpy._ON_ELEMENTS)  # noqa: PLE0605  (they are listed there)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(numpy, name)
