"""The names of libcst, imported on first use.

Importing libcst takes 0.1 s, which a check without findings should not pay for. Modules therefore write
``from hybridlint.text import cst`` and use ``cst.Call`` only inside functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from libcst import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        import libcst

        value = globals()[name] = getattr(libcst, name)
        return value
