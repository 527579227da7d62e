"""Cache of the outcomes of proofs in the project's ``.hybridlint_cache``, so that unchanged blocks are not run again.

An entry is valid while the following are unchanged: the file, all Python files of its package (or of its folder if it
is in no package), all files read during the proof, wherever they lie, the settings of the proof, the environment
variables that it sees, the recorded setups, and the tool itself. Blocks that ran out of time are run again.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from functools import lru_cache
from pathlib import Path
from typing import Any

from hybridlint.core import schema
from hybridlint.core.proof_outcome import OUTCOME, ProofOutcome, as_message, read_outcome
from hybridlint.core.schema import MalformedError
from hybridlint.project.files.cache_folder import read_from, write_into
from hybridlint.project.settings.config import Config
from hybridlint.proving.engines import VARIABLE
from hybridlint.proving.module_name import module_name
from hybridlint.proving.read_set import ReadSet, content, listing, states
from hybridlint.proving.related_files import related_files
from hybridlint.proving.scratch import telling
from hybridlint.runtime.facts.records import record
from hybridlint.text.regular import read_regular

_FILE = "proofs.json"
#: Most files of a package that are read; proofs in larger packages are not cached.
_MOST_FILES = 5_000
#: Prefixes of folders in a package that contain none of its code.
_HIDDEN = (".", "__pycache__")
_DIGEST = schema.exact_text(1_000)
_PATH = schema.exact_text(10_000)
_LIBRARIES = schema.table(_DIGEST, schema.items(_PATH, most=1_000_000), most=1_000_000)
#: An entry of the cache.
_ENTRY = schema.fields(
    {
        "digest": _DIGEST,
        "outcomes": schema.items(
            schema.merge_fields(OUTCOME, schema.fields({"block": schema.text(), "class row": schema.whole()}))
        ),
        "files": schema.table(_PATH, _DIGEST, most=1_000_000),
        "folders": schema.table(_PATH, _DIGEST, most=1_000_000),
        "libraries": _DIGEST,
        "state": _DIGEST,
    }
)


@record(slots=True)
class OutcomeCache:
    """The cached outcomes of one project, in a folder. A damaged or missing cache never changes a result."""

    folder: Path
    entries: dict[str, dict[str, Any]]
    changed: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: Files of installed libraries that proofs have read, by a digest of the list; most entries share one list.
    libraries: dict[str, list[str]] = field(default_factory=dict)
    lock: Any = field(default_factory=threading.Lock)

    @classmethod
    def open(cls, folder: Path) -> OutcomeCache:
        """Load the cached outcomes in a folder; entries of another version of the tool are ignored."""
        entries, libraries = _load(folder)
        return cls(folder, entries, libraries=libraries)

    def get(self, path: Path, text: str, config: Config) -> list[ProofOutcome] | None:
        """Return the outcomes of a file with this text, None if there is no valid entry."""
        entry = self._entry(os.path.abspath(path))
        if entry is None or entry["digest"] != _digest(path, text, config) or not self._unchanged(entry):
            return None
        return [read_outcome(path, message["block"], message["class row"], message) for message in entry["outcomes"]]

    def put(self, path: Path, text: str, config: Config, outcomes: Sequence[ProofOutcome], read: ReadSet) -> None:
        """Store all outcomes of a file with this text, and the files and folders that were read for them (`read`).

        Files that were read for earlier outcomes of the same text are kept in the entry, because `outcomes` may contain
        some of these outcomes. Nothing is stored if a file was written while the proof ran.
        """
        digest = _digest(path, text, config)
        if digest is None or read.changed():
            return
        key = os.path.abspath(path)
        messages = [{**as_message(o), "block": o.block, "class row": o.row} for o in outcomes]
        files = {name: content(name) for name in sorted(read.files) if not _is_around(path, name)}
        folders = {name: listing(name) for name in sorted(read.folders)}
        libraries = sorted(read.libraries)
        with self.lock:
            earlier = self._entry(key)
            if earlier is not None and earlier["digest"] == digest and self._unchanged(earlier):
                files, folders = {**earlier["files"], **files}, {**earlier["folders"], **folders}
                libraries = sorted({*libraries, *self.libraries[earlier["libraries"]]})
            group = _named(*(name.encode(errors="replace") for name in libraries))
            self.libraries[group] = libraries
            entry = {"files": files, "folders": folders, "libraries": group, "state": states(tuple(libraries))}
            self.changed[key] = {"digest": digest, "outcomes": messages, **entry}

    def _entry(self, key: str) -> dict[str, Any] | None:
        """Return the entry of a file; None if it is missing or malformed, as anyone may write the cache."""
        found = self.changed.get(key)
        if found is None and key in self.entries:
            with suppress(MalformedError):
                found = _ENTRY(self.entries[key])
        return found

    def _unchanged(self, entry: Mapping[str, Any]) -> bool:
        """Whether all files and folders that were read for an entry are unchanged."""
        libraries = self.libraries.get(entry["libraries"])
        return (
            libraries is not None
            and states(tuple(libraries)) == entry["state"]
            and all(content(name) == was for name, was in entry["files"].items())
            and all(listing(name) == was for name, was in entry["folders"].items())
        )

    def save(self) -> None:
        """Write the new entries, merged with those of other processes, without entries of deleted files."""
        if not self.changed:
            return
        entries, libraries = _load(self.folder)
        files = {**{path: entry for path, entry in entries.items() if os.path.exists(path)}, **self.changed}
        used = {entry["libraries"] for entry in files.values()}
        groups = {name: paths for name, paths in {**libraries, **self.libraries}.items() if name in used}
        with suppress(OSError):
            write_into(self.folder, _FILE, {"files": files, "libraries": groups})


def _load(folder: Path) -> tuple[dict[str, dict[str, Any]], dict[str, list[str]]]:
    try:
        document = read_from(folder, _FILE)
        files = {name: entry for name, entry in document["files"].items() if type(entry.get("libraries")) is str}
        return files, _LIBRARIES(document["libraries"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}, {}


def _digest(path: Path, text: str, config: Config) -> str | None:
    """Return a digest of a file, its package, the settings and the environment; None if the package is too large."""
    around = _around(_top(Path(os.path.abspath(path))))
    if around is None:
        return None
    record = config.root / config.recorded
    recorded = read_regular(record) if record.is_file() else b""
    settings = json.dumps(config.verify, sort_keys=True, default=str)
    seen = json.dumps([telling(os.environ), os.environ.get(VARIABLE)], sort_keys=True)
    others = [str(other) for other in related_files(path) if not _is_around(path, str(other))]
    related = json.dumps([(other, content(other)) for other in others])
    parts = (text.encode(errors="replace"), around.encode(), settings.encode(), recorded, seen.encode())
    return _named(*parts, related.encode(errors="replace"))


def _top(path: Path) -> Path:
    name, root = module_name(path)
    return root / name.split(".", maxsplit=1)[0] if "." in name or path.name == "__init__.py" else path.parent


def _is_around(path: Path, name: str) -> bool:
    """Whether the digest of `path` already covers a file."""
    try:
        inner = Path(name).relative_to(_top(Path(os.path.abspath(path))))
    except ValueError:
        return False
    return inner.suffix == ".py" and not any(part.startswith(_HIDDEN) for part in inner.parts)


@lru_cache(maxsize=64)
def _around(folder: Path) -> str | None:
    total = hashlib.blake2b(digest_size=16)
    for count, file in enumerate(_sources(folder)):
        if count == _MOST_FILES:
            return None
        with suppress(OSError):
            total.update(f"{file}\0".encode(errors="replace") + read_regular(file))
    return total.hexdigest()


def _sources(folder: Path) -> Iterator[str]:
    for place, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if not name.startswith(_HIDDEN))
        yield from (os.path.join(place, name) for name in sorted(names) if name.endswith(".py"))


def _named(*parts: bytes) -> str:
    total = hashlib.blake2b(digest_size=16)
    for part in parts:
        total.update(str(len(part)).encode() + b":" + part)
    return total.hexdigest()
