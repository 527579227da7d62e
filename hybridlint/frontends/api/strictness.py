"""Strict eager runs on the bundled runtime, which raise on code that would behave differently once hybridized."""

from __future__ import annotations

import importlib
import sys
from contextlib import AbstractContextManager

RUNTIME = "hybridlint.runtime"


def strict() -> AbstractContextManager[None]:
    """Make hybrid blocks raise, during eager `hybrid_forward`, on code that would not compile to the same computation.

    The error is a `hybridlint.runtime.strict.arrays.NotHybridizableError`; its `code` is a rule's code. Raises
    RuntimeError in a process whose mxnet is not the bundled runtime.
    """
    mx = sys.modules.get("mxnet")
    if mx is not None and mx is not sys.modules.get(RUNTIME):
        raise RuntimeError(
            "hybridlint.strict() looks into the bundled runtime, but this process has another mxnet: use "
            "hybridlint.assert_hybridizable, or run the program with `hybridlint run`"
        )
    found: AbstractContextManager[None] = importlib.import_module(f"{RUNTIME}.strict.runs").strict()
    return found
