"""hybridlint: finds, fixes and proves what breaks in Gluon code once it is hybridized.

`verify` and `assert_hybridizable` are for programs and tests; they are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridlint.api.proof import assert_hybridizable as assert_hybridizable

__version__ = "0.1.0"

_PLACES = {"assert_hybridizable": "hybridlint.api.proof"}


def __getattr__(name: str) -> object:
    import importlib

    if name == "verify":
        return importlib.import_module("hybridlint.verify")
    if name not in _PLACES:
        raise AttributeError(f"module 'hybridlint' has no attribute '{name}'")
    return getattr(importlib.import_module(_PLACES[name]), name)
