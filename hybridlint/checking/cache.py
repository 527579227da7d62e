"""Cache of earlier results in the folder of a project's cache: an unchanged file is not analyzed again.

An entry is valid while all of these are unchanged: the file's bytes, the files its findings depend on, where its
imports resolve to, its settings, the record of real runs, and the tool itself.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridlint.analysis.imports.finder import Links
from hybridlint.checking.import_graph import DiskSnapshot, ImportGraph, content_digest
from hybridlint.core.diagnostic import Diagnostic
from hybridlint.project.files.cache_folder import read_from, write_into
from hybridlint.project.settings.config import Config, fingerprint
from hybridlint.proving.recording.store import record_digest
from hybridlint.rule import own_rules_digest
from hybridlint.runtime.facts.records import record

if TYPE_CHECKING:
    from hybridlint.core.result import Result

_INDEX = "results.json"


@record(slots=True)
class Cache:
    """The cache of one project, in a folder. An error in the cache costs time but never changes a result."""

    folder: Path
    disk: DiskSnapshot
    entries: dict[str, dict[str, Any]]
    graph: ImportGraph
    changed: dict[str, dict[str, Any]] = field(default_factory=dict)
    news: list[Links] = field(default_factory=list)
    #: Digest of the record of real runs; None until it is first needed.
    record: str | None = None

    @classmethod
    def open(cls, folder: Path) -> Cache:
        """Load the cache in a folder. Entries from another version of the tool are ignored."""
        disk = DiskSnapshot()
        return cls(folder, disk, *_load(folder, disk))

    def get(self, path: Path, data: bytes, config: Config) -> tuple[Diagnostic, ...] | None:
        """Return the cached diagnostics of a file with these bytes, or None."""
        key = os.path.abspath(path)
        self.disk.digests[key] = content_digest(data)
        entry = self.entries.get(key)
        if not isinstance(entry, dict) or entry.get("digest") != self._digest(key, config):
            return None
        if "file" in entry and not self.graph.fresh(entry["file"]):
            return None
        with suppress(ValueError, KeyError, TypeError, AttributeError, IndexError):
            return tuple(map(Diagnostic.from_json, entry["diagnostics"]))
        # Anybody may write the cache.
        return None

    def put(self, path: Path, config: Config, result: Result) -> None:
        """Store the diagnostics of a file under the bytes last given to `get`."""
        key = os.path.abspath(path)
        self.changed[key] = {
            "digest": self._digest(key, config),
            "diagnostics": [diagnostic.to_json() for diagnostic in result.diagnostics],
        }
        if result.links is not None:
            real = os.path.realpath(path)
            self.changed[key]["file"] = real
            self.news += [Links(real, (), (), ()), *result.links]

    def save(self) -> None:
        """Save new entries, merged with what other processes saved meanwhile. Entries of deleted files are dropped."""
        if not self.changed:
            return
        entries, graph = _load(self.folder, self.disk)
        known = {path for links in self.news for path in (links.path, *links.imports)}
        outdated = graph.outdated(known)
        graph.learn(self.news)
        kept = {p: e for p, e in entries.items() if e.get("file") not in outdated and os.path.exists(p)}
        with suppress(OSError):
            write_into(self.folder, _INDEX, {"files": {**kept, **self.changed}, "links": graph.to_json()})

    def _digest(self, key: str, config: Config) -> str:
        if self.record is None:
            self.record = record_digest(config.root, config.recorded)
        return f"{self.disk.digests[key]} {_settings_digest((*fingerprint(config), self.record, own_rules_digest()))}"


@cache
def _settings_digest(parts: tuple[str, ...]) -> str:
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


def _load(folder: Path, disk: DiskSnapshot) -> tuple[dict[str, dict[str, Any]], ImportGraph]:
    try:
        document = read_from(folder, _INDEX)
        return dict(document["files"]), ImportGraph.from_json(document["links"], disk)
    except (ValueError, KeyError, TypeError, IndexError):
        return {}, ImportGraph({}, disk)
