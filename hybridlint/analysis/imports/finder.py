"""The files that imports lead to, as Python would find them, and the files on which each answer depends.

Which entries `sys.path` will have is not known: they are those with which the import works. The folder around the
outermost package comes first, or the folder of a file in no package, as it may be a script; then those above, where
folders without ``__init__.py`` are packages too. A module or package comes before such a folder, as in Python.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from hybridlint.analysis.imports.folder_listings import (
    PACKAGE_FILE,
    SUFFIX,
    FolderListing,
    ListFolder,
    list_folder,
)
from hybridlint.analysis.imports.source_roots import SourceRoots
from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True)
class Links:
    """The dependencies of a file: the files its imports lead to, and the names that were looked for."""

    path: str
    imports: tuple[str, ...]
    present: tuple[str, ...]
    absent: tuple[str, ...]


@record(frozen=True, slots=True)
class ImportTarget:
    """Where an import leads: a file, or a folder that is a package without ``__init__.py``.

    `root` is the folder in which Python finds the first part of the name.
    """

    root: str
    file: Path | None
    folder: Path | None = None
    #: Whether the first part of the name is a module or a package with ``__init__.py``.
    regular: bool = True

    @property
    def path(self) -> Path:
        """The file; of a folder without ``__init__.py`` the file that it lacks, which represents the package."""
        if self.file is not None:
            return self.file
        assert self.folder is not None
        return self.folder / PACKAGE_FILE


@record(frozen=True, slots=True)
class _Search:
    """The result of resolving an import, the paths that were looked for on the way, and files that were read."""

    target: ImportTarget | None
    looked: frozenset[str]
    read: tuple[str, ...] = ()


class ImportFinder:
    """Resolves imports to files and caches what it finds, so that each folder is read only once."""

    def __init__(self, listing: ListFolder = list_folder) -> None:
        self._list_folder = listing
        self._listings: dict[str, FolderListing] = {}
        self._folders: dict[Path, Path] = {}
        self._packages: dict[Path, tuple[Path, ...]] = {}
        self._searches: dict[tuple[Path, str, int], _Search] = {}
        self._searches_of: dict[Path, set[tuple[Path, str, int]]] = {}
        self._news: set[Path] = set()
        self.roots = SourceRoots(self.listing, self.packages)

    def resolved(self, path: Path) -> Path:
        """Return a file's path with symbolic links resolved; each folder is resolved only once."""
        folder = path.parent
        if folder not in self._folders:
            self._folders[folder] = folder.resolve()
        return path.resolve() if path.is_symlink() else self._folders[folder] / path.name

    def packages(self, folder: Path) -> tuple[Path, ...]:
        """Return a folder and the folders around it that are packages, outermost first; empty if it is no package."""
        if folder not in self._packages:
            inside = PACKAGE_FILE in self.listing(str(folder)).files and folder.parent != folder
            self._packages[folder] = (*self.packages(folder.parent), folder) if inside else ()
        return self._packages[folder]

    def listing(self, folder: str) -> FolderListing:
        """Return the names in a folder."""
        if folder not in self._listings:
            self._listings[folder] = self._list_folder(folder)
        return self._listings[folder]

    def locate(self, importer: Path, dotted: str, level: int) -> Path | None:
        """Return the resolved path of the file that an import in another file leads to, None if there is none."""
        target = self.target(importer, dotted, level)
        return None if target is None else target.file

    def target(self, importer: Path, dotted: str, level: int) -> ImportTarget | None:
        """Return where an import in a file leads, None if that is outside of the project."""
        key = (importer.parent, dotted, level)
        if key not in self._searches:
            self._searches[key] = self._search(*key)
        keys = self._searches_of.setdefault(importer, set())
        if key not in keys:
            keys.add(key)
            self._news.add(importer)
        return self._searches[key].target

    def news(self) -> Iterator[Links]:
        """Yield the dependencies of each file that has new ones since the last call."""
        for importer in sorted(self._news):
            searches = [self._searches[key] for key in self._searches_of[importer]]
            targets = [search.target for search in searches if search.target is not None]
            looked = {path for search in searches for path in search.looked} | set(self._chain(importer.parent))
            there = {path: self._exists(path) for path in looked} | dict(self.roots.looked_for(importer.parent))
            read = {path for search in searches for path in search.read}
            yield Links(
                str(importer),
                tuple(sorted({*(str(target.path) for target in targets), *read})),
                tuple(sorted(path for path in there if there[path])),
                tuple(sorted(path for path in there if not there[path])),
            )
        self._news.clear()

    def _search(self, folder: Path, dotted: str, level: int) -> _Search:
        looked: set[str] = set()
        if level:
            base = folder
            for _ in range(level - 1):
                base = base.parent
            return _Search(self._match(str(base), dotted, looked), frozenset(looked))
        roots, own = self.roots.roots(folder), not self.packages(folder)
        standard = dotted.partition(".")[0] in sys.stdlib_module_names
        found = self._first_match(roots[:1] if standard else roots, dotted, looked)
        if standard and found is not None and not found.regular:
            found = None
        if own and found is not None and found.root == roots[0] and not level:
            # The file's folder is searched where it is a script's: as a part of a package it is not.
            other = None if standard else self._first_match(roots[1:], dotted, looked)
            if standard or other is not None:
                part = self.roots.is_part(folder)
                return _Search(other if part.holds else found, frozenset(looked), part.files)
        if found is not None or standard:
            return _Search(found, frozenset(looked))
        read: list[str] = []
        for package in reversed(self.packages(folder)):
            found = self._match(str(package), dotted, looked)
            if found is not None and found.file is not None:
                script = self.roots.has_script(found.root)
                read += script.files
                if script.holds:
                    return _Search(found, frozenset(looked), tuple(read))
        return _Search(None, frozenset(looked), tuple(read))

    def _first_match(self, roots: tuple[str, ...], dotted: str, looked: set[str]) -> ImportTarget | None:
        """Return the first target below the roots, one in a package with ``__init__.py`` or in a module if possible."""
        others: list[ImportTarget] = []
        for root in roots:
            target = self._match(root, dotted, looked)
            if target is not None and target.regular:
                return target
            others += [] if target is None else [target]
        return next(iter(sorted(others, key=lambda target: target.file is None)), None)

    def _match(self, root: str, dotted: str, looked: set[str]) -> ImportTarget | None:
        """Return what a dotted name means below a folder, None if nothing. `looked` gets what was looked for."""
        folder, regular = root, True
        parts = dotted.split(".") if dotted else []
        for index, part in enumerate(parts):
            names, inner, last = self.listing(folder), os.path.join(folder, part), index == len(parts) - 1
            looked |= {inner, inner + SUFFIX}
            if part in names.folders:
                looked.add(os.path.join(inner, PACKAGE_FILE))
                if PACKAGE_FILE in self.listing(inner).files:
                    folder = inner
                    continue
            if part + SUFFIX in names.files:
                return ImportTarget(root, self.resolved(Path(inner + SUFFIX)), None, regular) if last else None
            if part not in names.folders:
                return None
            regular = regular and bool(index)
            folder = inner
        file = os.path.join(folder, PACKAGE_FILE)
        looked.add(file)
        if PACKAGE_FILE in self.listing(folder).files:
            return ImportTarget(root, self.resolved(Path(file)), None, regular)
        return ImportTarget(root, None, Path(folder), regular)

    def _chain(self, folder: Path) -> Iterator[str]:
        """Yield the ``__init__.py`` paths that decide how far a folder's package reaches."""
        yield from (os.path.join(package, PACKAGE_FILE) for package in self.packages(folder))
        yield os.path.join(self.roots.first(folder), PACKAGE_FILE)

    def _exists(self, path: str) -> bool:
        folder, name = os.path.split(path)
        return self.listing(folder).has(name)
