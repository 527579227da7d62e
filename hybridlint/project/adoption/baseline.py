"""The baseline: a file of the findings that a project accepts, so that reports show only new ones.

An entry is a rule's code and the text of the lines found, for a file, with the number of such findings. It has no line
numbers: entries survive changes elsewhere in a file, and the baseline's diff in a review reads as the added findings.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridlint.core.errors import UsageError
from hybridlint.core.fingerprint import identities
from hybridlint.project.files.output_files import write_whole
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.regular import read_regular

if TYPE_CHECKING:
    from hybridlint.core.result import Result

FILE_NAME = "hybridlint-baseline.json"
_VERSION = 1


@record(frozen=True, slots=True, order=True)
class Entry:
    """A known finding: its file relative to the project, the rule's code, and the text of its lines."""

    path: str
    code: str
    text: str


@record(slots=True)
class Baseline:
    """The known findings of a project, each with the number of times that it occurs in its file."""

    path: Path
    entries: Counter[Entry] = field(default_factory=Counter)

    @property
    def root(self) -> Path:
        """The folder that the paths of the entries are relative to."""
        return self.path.parent

    @classmethod
    def read(cls, path: Path) -> Baseline:
        """Read the file; without one there are no entries. Raises UsageError if it is not a baseline."""
        if not os.path.lexists(path):
            return cls(path)
        try:
            data = json.loads(read_regular(path))
            return cls(path, Counter(dict(_entries(data))))
        except OSError as error:
            raise UsageError(f"{path}: cannot read the file: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise UsageError(
                f"{path}: this is not a baseline: write it anew with `hybridlint check --write-baseline`"
            ) from error

    @classmethod
    def of(cls, path: Path, results: Iterable[Result]) -> Baseline:
        """Return the baseline that holds all findings of results."""
        return cls(
            path, Counter(entry for result in results for entry in baseline_entries(result, path.parent) if entry)
        )

    def write(self) -> None:
        """Write the file, sorted, so that equal baselines are equal files. Raises UsageError."""
        files: dict[str, list[dict[str, Any]]] = {}
        for entry, count in sorted(self.entries.items()):
            files.setdefault(entry.path, []).append({"code": entry.code, "text": entry.text, "count": count})
        text = json.dumps({"version": _VERSION, "files": files}, indent=2, ensure_ascii=False) + "\n"
        write_whole(self.path, text)


@record(frozen=True, slots=True)
class Compared:
    """Results without the known findings, the number of known findings, and the stale entries."""

    results: tuple[Result, ...]
    known: int
    stale: Counter[Entry]


def compare(results: Sequence[Result], baseline: Baseline) -> Compared:
    """Leave the known findings out of results.

    An entry is stale if its file was checked and has no such finding, or is gone.
    """
    left = Counter(baseline.entries)
    new = tuple(_new(result, left, baseline.root) for result in results)
    known = baseline.entries.total() - left.total()
    checked = {_name(result.path, baseline.root) for result in results if result.failure is None}
    stale = Counter(
        {e: n for e, n in left.items() if n and (e.path in checked or not (baseline.root / e.path).exists())}
    )
    return Compared(new, known, stale)


def _new(result: Result, left: Counter[Entry], root: Path) -> Result:
    """Return a result without the findings that are in `left`, which are taken out of it."""
    if not result.diagnostics:
        return result
    new = []
    for diagnostic, entry in zip(result.diagnostics, baseline_entries(result, root), strict=True):
        if entry is not None and left[entry] > 0:
            left[entry] -= 1
        else:
            new.append(diagnostic)
    return result if len(new) == len(result.diagnostics) else replace(result, diagnostics=tuple(new))


def baseline_entries(result: Result, root: Path) -> Iterator[Entry | None]:
    """Yield the entry of each finding of a result, None for one that no baseline may hold."""
    name = _name(result.path, root)
    for diagnostic, (code, text) in zip(result.diagnostics, identities(result), strict=True):
        callee = diagnostic.callee
        if diagnostic.of_whole_file:
            yield None
        elif callee is not None:
            # It is the finding that a run which checks the other file too reports there.
            yield Entry(_name(Path(callee.filename), root), code, callee.lines)
        else:
            yield Entry(name, code, text)


def _name(path: Path, root: Path) -> str:
    return os.path.relpath(os.path.realpath(path), os.path.realpath(root)).replace(os.sep, "/")


def _entries(data: Any) -> Iterator[tuple[Entry, int]]:
    if data["version"] != _VERSION:
        raise ValueError
    for path, items in data["files"].items():
        for item in items:
            code, text, count = item["code"], item["text"], item["count"]
            if not (isinstance(code, str) and isinstance(text, str) and type(count) is int and count > 0):
                raise ValueError
            yield Entry(path, code, text), count
