"""The identity of a file on disk."""

from __future__ import annotations

from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True)
class FileIdentity:
    """Identity of a file on disk: its resolved path, its device and its inode."""

    target: str
    device: int
    inode: int
