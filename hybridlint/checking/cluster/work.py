"""The work of a cluster's worker: it checks files and proves blocks, or reports why it cannot."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import threading
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import hybridlint
from hybridlint.checking.checker import Job, check, forget
from hybridlint.rule import own_rules_digest
from hybridlint.runtime.facts.records import record

if TYPE_CHECKING:
    from hybridlint.core.proof_outcome import ProofOutcome
    from hybridlint.core.result import Result
    from hybridlint.proving.read_set import ReadSet
    from hybridlint.proving.settings import ProofSettings

#: A check changes the process's folder, and shares with the next what it knows of other files.
_CHECKING = threading.Lock()


class UnlikeError(Exception):
    """Raised on a worker whose results would not be those of the machine that asks."""


@record(frozen=True, slots=True)
class Home:
    """The machine that asks: its folder, and the versions on which findings depend."""

    folder: str
    versions: tuple[str, str, str]

    @staticmethod
    def here() -> Home:
        """Return what is to be said of this process."""
        return Home(os.getcwd(), _versions())


@cache
def _sources() -> str:
    """Return a digest of this tool's own code, wherever it is installed."""
    total = hashlib.blake2b(hybridlint.__version__.encode(), digest_size=16)
    folder = str(Path(str(hybridlint.__file__)).parent)
    found = [os.path.join(at, name) for at, _, names in os.walk(folder, followlinks=True) for name in names]
    for path in sorted(path for path in found if path.endswith(".py")):
        total.update(os.path.relpath(path, folder).encode() + Path(path).read_bytes())
    return total.hexdigest()


def _versions() -> tuple[str, str, str]:
    return _sources(), "{}.{}".format(*sys.version_info), own_rules_digest()


def check_batch(home: Home, jobs: Sequence[tuple[int, Job]]) -> list[tuple[int, Result]]:
    """Check files whose bytes come along; what they import is read here. Raises UnlikeError."""
    with _CHECKING:
        _same_versions(home)
        _same_files([(job.path, job.data) for _, job in jobs], home.folder)
        before = os.getcwd()
        os.chdir(home.folder)
        # The files of the project may have changed since the last batch, which can be from another run.
        forget()
        try:
            return [(number, check(job)) for number, job in jobs]
        finally:
            os.chdir(before)


def prove(
    home: Home, path: Path, before: str, after: str | None, *, settings: ProofSettings, blocks: Collection[str] | None
) -> tuple[list[ProofOutcome], ReadSet]:
    """Prove the blocks of a file, whose path is absolute. Raises UnlikeError."""
    from hybridlint.proving.prover import prove_file
    from hybridlint.proving.read_set import ReadSet

    _same_versions(home)
    _same_files([(path, None)], home.folder)
    read = ReadSet()
    return prove_file(path, before, after, settings, blocks=blocks, read=read), read


def _same_versions(home: Home) -> None:
    for what, there, here in zip(
        ("hybridlint", "Python", "rules of one's own"), home.versions, _versions(), strict=True
    ):
        if there != here:
            raise UnlikeError(
                f"a worker on {platform.node()} has another version of {what}: install there what is installed here"
            )


def _same_files(files: Sequence[tuple[Path, bytes | None]], folder: str) -> None:
    for path, data in files:
        place = Path(folder, path)
        try:
            same = place.is_file() if data is None else place.read_bytes() == data
        except OSError:
            same = False
        if not same:
            raise UnlikeError(
                f"a worker on {platform.node()} does not see {place} as it is here: files must lie in a folder that "
                "all machines share, under the same path"
            )
