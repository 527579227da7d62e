"""The names of libcst, which is imported when one of them is first used.

Importing libcst takes a tenth of a second, which a check that finds nothing does not pay. A module therefore says
``from hybridlint import cst``, and spells ``cst.Call`` inside of functions only.
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
