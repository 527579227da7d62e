"""Dataclasses that cost little to define and to make: type checkers hold what is frozen, not Python at run time.

Python's own check of assignments makes constructing frozen ones three times slower, a twentieth of an analysis. It also
writes and compiles up to ten methods of each dataclass when its module is imported, which takes as long as everything
else that the start of a check does. Here a method is compiled when it is called for the first time. A proof's process
may run under an older Python, for the sake of an old MXNet: there these are Python's own dataclasses.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

__all__ = ["record", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass as record
    from dataclasses import replace
elif sys.version_info >= (3, 10):  # noqa: UP036
    from hybridlint.runtime.facts.compiled_records import record, replace
else:
    from dataclasses import dataclass, replace

    def record(*, slots=False, **options):
        """Return a decorator like ``dataclass``, which has no slots there."""
        return dataclass(**options)
