"""The dependency graph of files, as stored in the cache, and the check that it still matches the disk."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hybridlint.analysis.imports.folder_listings import FolderListing, list_folder
from hybridlint.analysis.imports.source_roots import MARKS
from hybridlint.runtime.facts.records import record
from hybridlint.text.regular import read_regular

if TYPE_CHECKING:
    from hybridlint.analysis.imports.finder import Links

_NO_FILE = ""


def content_digest(data: bytes) -> str:
    """Return the digest of a file's bytes."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


@record(slots=True)
class DiskSnapshot:
    """The files on disk during one run. Each file and each folder's list of names is read once."""

    digests: dict[str, str] = field(default_factory=dict)
    _there: dict[str, bool] = field(default_factory=dict)
    _listings: dict[str, FolderListing] = field(default_factory=dict)

    def digest(self, path: str) -> str:
        """Return the digest of a file's content, or the empty string if it cannot be read."""
        if path not in self.digests:
            try:
                self.digests[path] = content_digest(read_regular(path))
            except OSError:
                self.digests[path] = _NO_FILE
        return self.digests[path]

    def exists(self, path: str) -> bool:
        """Whether there is a Python file or a folder of this path, or a mark of a project."""
        if path not in self._there:
            folder, name = os.path.split(path)
            self._there[path] = os.path.lexists(path) if name in MARKS else self._listing(folder).has(name)
        return self._there[path]

    def _listing(self, folder: str) -> FolderListing:
        if folder not in self._listings:
            self._listings[folder] = list_folder(folder)
        return self._listings[folder]


@record(frozen=True, slots=True)
class Node:
    """Facts about one file: its digest, its imports, and the paths that its imports found or missed."""

    digest: str
    imports: frozenset[str] = frozenset()
    present: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()

    def holds(self, path: str, disk: DiskSnapshot) -> bool:
        """Whether all these facts still match the disk."""
        return (
            disk.digest(path) == self.digest
            and all(map(disk.exists, self.present))
            and not any(map(disk.exists, self.absent))
        )

    def and_also(self, other: Node) -> Node:
        """Return the union of two sets of facts about the same file."""
        return Node(self.digest, self.imports | other.imports, self.present | other.present, self.absent | other.absent)


class ImportGraph:
    """A graph of files and their dependencies, keyed by resolved path."""

    def __init__(self, nodes: dict[str, Node], disk: DiskSnapshot) -> None:
        self.nodes = nodes
        self._disk = disk
        self._fresh: set[str] = set()
        self._stale: set[str] = set()

    @classmethod
    def from_json(cls, document: Mapping[str, Any], disk: DiskSnapshot) -> ImportGraph:
        """Read the output of `to_json`. Raises KeyError, TypeError, ValueError or IndexError for anything else."""
        paths = document["paths"]
        nodes = {
            paths[at]: Node(digest, *(frozenset(paths[i] for i in part) for part in parts))
            for at, digest, *parts in document["nodes"]
        }
        return cls(nodes, disk)

    def to_json(self) -> dict[str, Any]:
        """Return the graph as JSON data, with each path written once."""
        numbers: dict[str, int] = {}

        def number(path: str) -> int:
            return numbers.setdefault(path, len(numbers))

        nodes = [
            [number(path), node.digest, *([number(p) for p in sorted(part)] for part in _parts(node))]
            for path, node in self.nodes.items()
        ]
        return {"paths": list(numbers), "nodes": nodes}

    def fresh(self, start: str) -> bool:
        """Whether a file and all its dependencies are unchanged on disk."""
        reached: set[str] = set()
        waiting = [start]
        while waiting:
            path = waiting.pop()
            if path in reached or path in self._fresh:
                continue
            node = self.nodes.get(path)
            if path in self._stale or node is None or not node.holds(path, self._disk):
                self._stale |= {path, start}
                return False
            reached.add(path)
            waiting += node.imports
        self._fresh |= reached
        return True

    def learn(self, news: Iterable[Links]) -> None:
        """Add the dependencies found by a run. Facts about files that have changed since are dropped."""
        for links in news:
            parts = map(frozenset, (links.imports, links.present, links.absent))
            self._add(links.path, Node(self._disk.digest(links.path), *parts))
            for path in links.imports:
                self._add(path, Node(self._disk.digest(path)))

    def outdated(self, paths: Iterable[str]) -> frozenset[str]:
        """Return the given files that no longer match the graph, and all files that depend on them."""
        waiting = [p for p in paths if p in self.nodes and not self.nodes[p].holds(p, self._disk)]
        found: set[str] = set()
        while waiting:
            path = waiting.pop()
            if path not in found:
                found.add(path)
                waiting += self._importers.get(path, ())
        return frozenset(found)

    @cached_property
    def _importers(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for importer, node in self.nodes.items():
            for path in node.imports:
                found.setdefault(path, []).append(importer)
        return found

    def _add(self, path: str, node: Node) -> None:
        old = self.nodes.get(path)
        self.nodes[path] = old.and_also(node) if old is not None and old.holds(path, self._disk) else node


def _parts(node: Node) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    return node.imports, node.present, node.absent
