"""``mx.random``: the seed, and the distributions, which are those of ``mx.nd.random``."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.core.generators import generator, seed, unordered_

__all__ = ["generator", "seed", "unordered_"]


def __getattr__(name: str) -> Any:
    """Find the distributions (``mx.random.uniform``), which are those of ``mx.nd.random``."""
    if name.startswith("__"):
        # The import system asks modules for names of its own, also while ``mx.nd`` is still loading.
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from hybridlint.runtime.ndarray import random as distributions

    return getattr(distributions, name)
