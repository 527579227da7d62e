"""hybridlint: finds, fixes and proves what breaks in Gluon code once it is hybridized.

`check`, `check_source`, `verify`, `assert_hybridizable` and `strict` are the API for programs and tests. They are
imported on first use.

PYTEST_DONT_REWRITE: the package holds no test assertions. Under ``hybridlint run -m pytest`` it is imported before
pytest, which would warn that it can no longer rewrite it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from hybridlint.api.check import check as check
    from hybridlint.api.check import check_source as check_source
    from hybridlint.api.proof import assert_hybridizable as assert_hybridizable
    from hybridlint.api.proof import verify as verify
    from hybridlint.api.strictness import strict as strict
    from hybridlint.runtime.strict.arrays import NotHybridizableError as NotHybridizableError
else:
    _PLACES = {
        "assert_hybridizable": "hybridlint.api.proof",
        "check": "hybridlint.api.check",
        "check_source": "hybridlint.api.check",
        "strict": "hybridlint.api.strictness",
        "verify": "hybridlint.api.proof",
        "NotHybridizableError": "hybridlint.runtime.strict.arrays",
    }

    def __getattr__(name: str) -> object:
        import importlib

        if name not in _PLACES:
            raise AttributeError(f"module 'hybridlint' has no attribute '{name}'")
        return getattr(importlib.import_module(_PLACES[name]), name)
