"""hybridlint: finds, fixes and proves what breaks in Gluon code once it is hybridized.

`check`, `check_source`, `verify`, `assert_hybridizable` and `strict` are the API for programs and tests. They are
imported on first use.

PYTEST_DONT_REWRITE: the package holds no test assertions. Under ``hybridlint run -m pytest`` it is imported before
pytest, which would warn that it can no longer rewrite it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from hybridlint.frontends.api.check import check as check
    from hybridlint.frontends.api.check import check_source as check_source
    from hybridlint.frontends.api.proof import assert_hybridizable as assert_hybridizable
    from hybridlint.frontends.api.proof import verify as verify
    from hybridlint.frontends.api.strictness import strict as strict
    from hybridlint.runtime.strict.arrays import NotHybridizableError as NotHybridizableError
else:
    _PLACES = {
        "assert_hybridizable": "hybridlint.frontends.api.proof",
        "check": "hybridlint.frontends.api.check",
        "check_source": "hybridlint.frontends.api.check",
        "strict": "hybridlint.frontends.api.strictness",
        "verify": "hybridlint.frontends.api.proof",
        "NotHybridizableError": "hybridlint.runtime.strict.arrays",
    }

    def __getattr__(name: str) -> object:
        import importlib

        if name not in _PLACES:
            raise AttributeError(f"module 'hybridlint' has no attribute '{name}'")
        return getattr(importlib.import_module(_PLACES[name]), name)

    #: Former names of modules that other projects may import, and where these are now.
    _RENAMED = {
        "api": "frontends.api",
        "diagnostic": "core.diagnostic",
        "errors": "core.errors",
        "flake8_plugin": "frontends.plugins.flake8_plugin",
        "outcome": "core.proof_outcome",
        "pytest_plugin": "frontends.plugins.pytest_plugin",
        "result": "core.result",
    }

    class _FormerNames:
        """The finder of modules by their former names."""

        @staticmethod
        def find_spec(name: str, path: object = None, target: object = None) -> object:
            if not name.startswith("hybridlint."):
                return None
            first, dot, rest = name[len("hybridlint.") :].partition(".")
            if first not in _RENAMED:
                return None
            from hybridlint.core.old_names import former_spec

            return former_spec(name, f"hybridlint.{_RENAMED[first]}{dot}{rest}")

    # Before the finder of files: it would find the modules of a renamed package a second time, below its former name.
    sys.meta_path.insert(0, _FormerNames)
