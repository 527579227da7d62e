"""Changed lines: what a working tree has that a commit, a branch or a tag has not."""

from __future__ import annotations

import difflib
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.documents.document import text_of
from hybridlint.errors import UsageError
from hybridlint.runtime.facts.records import record, replace

if TYPE_CHECKING:
    from hybridlint.diagnostic import Diagnostic
    from hybridlint.result import Result

#: Rows that are all of a file's.
_ALL = (range(1, 1 << 62),)


@record(frozen=True)
class Changes:
    """The rows of files that git's `ref` has otherwise or not at all. A new file is changed as a whole."""

    ref: str
    _rows: dict[Path, tuple[range, ...]] = field(default_factory=dict)

    def only(self, result: Result) -> Result:
        """Return a result with the findings that changed rows contribute to. Raises UsageError."""
        kept = tuple(found for found in result.diagnostics if self._concern(found, result.path))
        return result if len(kept) == len(result.diagnostics) else replace(result, diagnostics=kept)

    def _concern(self, found: Diagnostic, path: Path) -> bool:
        """Whether a row changed of those found, or of those that a note names."""
        if self._changed(path, found.location.row, found.end_location.row):
            return True
        return any(
            self._changed(
                path if note.filename is None else Path(note.filename), note.location.row, note.end_location.row
            )
            for note in found.notes
        )

    def _changed(self, path: Path, first: int, last: int) -> bool:
        real = Path(os.path.realpath(path))
        if real not in self._rows:
            self._rows[real] = tuple(_changed_rows(real, self.ref))
        return any(rows.start <= last and first < rows.stop for rows in self._rows[real])


def _changed_rows(path: Path, ref: str) -> Iterator[range]:
    before = _before(path, ref)
    if before is None:
        yield from _ALL
        return
    matcher = difflib.SequenceMatcher(None, _lines(path, before), _lines(path, path.read_bytes()), autojunk=False)
    for kind, _, _, start, stop in matcher.get_opcodes():
        if kind == "delete":
            # What was deleted changed the rows around it.
            yield range(start, start + 2)
        elif kind != "equal":
            yield range(start + 1, stop + 1)


def _lines(path: Path, data: bytes) -> Sequence[str]:
    """Return the lines that findings are placed in, without their ends, which git may convert."""
    return [line.rstrip("\r") for line in text_of(path, data).split("\n")]


def _before(path: Path, ref: str) -> bytes | None:
    """Return the file as `ref` has it, None if it has none. Raises UsageError if there is no such `ref`."""
    known = _git(path.parent, "rev-parse", "--quiet", "--verify", "--end-of-options", f"{ref}^{{commit}}")
    if known.returncode:
        raise UsageError(f"--since: `{ref}` is no commit, branch or tag of the git repository that {path} is in")
    found = _git(path.parent, "cat-file", "blob", f"{known.stdout.decode().strip()}:./{path.name}")
    return None if found.returncode else found.stdout


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    # A repository's own settings must not start programs.
    command = ["git", "-c", "core.fsmonitor=false", "-C", str(folder), *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise UsageError("--since asks git, which is not installed") from error
