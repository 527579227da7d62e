"""Proof of fixes: blocks run before and after, eagerly and compiled, on random inputs. See `hybridlint.verify.prover`.

Nothing here runs user code in this process. What does is in `hybridlint.verify.child`, which a child process starts and
which needs nothing but Python 3.8, numpy and an importable `mxnet`: the bundled runtime, or a real one.

The module can be called: ``hybridlint.verify(block, *inputs)`` is `hybridlint.api.proof.verify`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hybridlint.api.report import Report


class _Callable(ModuleType):
    """A package whose name is also that of the function that programs call."""

    def __call__(self, block: Any, *inputs: Any, **options: Any) -> Report:
        from hybridlint.api.proof import verify

        return verify(block, *inputs, **options)


sys.modules[__name__].__class__ = _Callable
