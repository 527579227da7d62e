"""Code of a module that has no counterpart."""

from __future__ import annotations

from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True)
class Problem:
    """Code without translation: its row, the class or function that it is in, and why."""

    row: int
    owner: str
    reason: str
