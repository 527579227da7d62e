"""Eager runs on the bundled runtime that raise on what would differ once hybridized."""

from __future__ import annotations

import importlib
import sys
from contextlib import AbstractContextManager

RUNTIME = "hybridlint.runtime"


def strict() -> AbstractContextManager[None]:
    """Let hybrid blocks that run eagerly raise, inside of `hybrid_forward`, where they would not compile to the same.

    The error is a `hybridlint.runtime.strict_arrays.NotHybridizableError`, whose `code` is that of a rule. Raises
    RuntimeError in a process whose mxnet is not the bundled runtime.
    """
    mx = sys.modules.get("mxnet")
    if mx is not None and mx is not sys.modules.get(RUNTIME):
        raise RuntimeError(
            "hybridlint.strict() looks into the bundled runtime, but this process has another mxnet: use "
            "hybridlint.assert_hybridizable, or run the program with `hybridlint run`"
        )
    found: AbstractContextManager[None] = importlib.import_module(f"{RUNTIME}.strict").strict()
    return found
