"""Results of earlier runs, in ``.hybridlint_cache`` of the project: a file that did not change is not analyzed again.

An entry holds while the file's bytes, those of the files that its findings depend on, its settings and the tool itself
are the same.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridlint import __version__
from hybridlint.config import Config, fingerprint
from hybridlint.diagnostic import Diagnostic

if TYPE_CHECKING:
    from hybridlint.checker import Result

FOLDER = ".hybridlint_cache"
_INDEX = "results.json"


@dataclass(slots=True)
class Cache:
    """The cache of one project. Whatever goes wrong with it costs time and never a result."""

    root: Path
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    changed: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def open(cls, root: Path) -> Cache:
        """Load the cache of a project; what another version of the tool wrote does not count."""
        return cls(root, _load(root))

    def get(self, path: Path, data: bytes, config: Config) -> tuple[Diagnostic, ...] | None:
        """Return the diagnostics of a file with these bytes, None where they are not known."""
        entry = self.entries.get(_key(path))
        if entry is None or entry["digest"] != digest(data, config):
            return None
        if any(_file_digest(path) != known for path, known in entry["depends"].items()):
            return None
        return tuple(map(Diagnostic.from_json, entry["diagnostics"]))

    def put(self, path: Path, data: bytes, config: Config, result: Result) -> None:
        """Remember the diagnostics of a file with these bytes."""
        self.changed[_key(path)] = {
            "digest": digest(data, config),
            "diagnostics": [diagnostic.to_json() for diagnostic in result.diagnostics],
            "depends": {str(path): _file_digest(str(path)) for path in result.depends},
        }

    def save(self) -> None:
        """Write what is new beside what other processes wrote meanwhile, without files that are gone."""
        if not self.changed:
            return
        entries = {path: entry for path, entry in _load(self.root).items() if os.path.exists(path)}
        document = {"stamp": stamp(), "files": {**entries, **self.changed}}
        with suppress(OSError):
            _write(self.root / FOLDER, json.dumps(document, separators=(",", ":")))


def digest(data: bytes, config: Config) -> str:
    """Return what an entry depends on besides the tool: the bytes and the settings."""
    total = hashlib.blake2b(data, digest_size=20)
    for part in fingerprint(config):
        total.update(part.encode())
    return total.hexdigest()


@cache
def stamp() -> str:
    """Return what names this very tool: its version, its files and the Python that runs it."""
    total = hashlib.blake2b(f"{__version__} {sys.version_info[:2]}".encode(), digest_size=20)
    for file in sorted(Path(__file__).parent.glob("**/*.py")):
        state = file.stat()
        total.update(f"{file} {state.st_mtime_ns} {state.st_size}".encode())
    return total.hexdigest()


@cache
def _file_digest(path: str) -> str:
    try:
        return hashlib.blake2b(Path(path).read_bytes(), digest_size=20).hexdigest()
    except OSError:
        return ""


def _key(path: Path) -> str:
    return os.path.abspath(path)


def _load(root: Path) -> dict[str, dict[str, Any]]:
    try:
        document = json.loads((root / FOLDER / _INDEX).read_bytes())
        files = document["files"] if document["stamp"] == stamp() else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return files if isinstance(files, dict) else {}


def _write(folder: Path, text: str) -> None:
    folder.mkdir(exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("# Made by hybridlint.\n*\n", encoding="utf-8")
    handle, name = tempfile.mkstemp(prefix=_INDEX, dir=folder)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.replace(name, folder / _INDEX)
