"""The files that imports lead to, as Python would find them, and the files on which each answer depends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hybridlint.runtime.facts.records import record

_INIT = "__init__.py"


@record(frozen=True, slots=True)
class Links:
    """The dependencies of a file: the files its imports lead to, and the candidate paths that were checked."""

    path: str
    imports: tuple[str, ...]
    present: tuple[str, ...]
    absent: tuple[str, ...]


@record(frozen=True, slots=True)
class _Search:
    """The result of resolving an import, and the paths that were checked on the way."""

    found: Path | None
    looked: tuple[Path, ...]


class Finder:
    """Resolves imports to files and caches what it finds, so that each path is checked only once."""

    def __init__(self) -> None:
        self._there: dict[Path, bool] = {}
        self._folders: dict[Path, Path] = {}
        self._packages: dict[Path, tuple[Path, ...]] = {}
        self._searches: dict[tuple[Path, str, int], _Search] = {}
        self._searches_of: dict[Path, set[tuple[Path, str, int]]] = {}
        self._news: set[Path] = set()

    def resolved(self, path: Path) -> Path:
        """Return a file's path with symbolic links resolved; each folder is resolved only once."""
        folder = path.parent
        if folder not in self._folders:
            self._folders[folder] = folder.resolve()
        return path.resolve() if path.is_symlink() else self._folders[folder] / path.name

    def packages(self, folder: Path) -> tuple[Path, ...]:
        """Return a folder and the folders around it that are packages, outermost first; empty if it is no package."""
        if folder not in self._packages:
            inside = self._is_file(folder / _INIT)
            self._packages[folder] = (*self.packages(folder.parent), folder) if inside else ()
        return self._packages[folder]

    def locate(self, importer: Path, dotted: str, level: int) -> Path | None:
        """Return the resolved path of the file that an import in another file leads to, None if there is none."""
        key = (importer.parent, dotted, level)
        if key not in self._searches:
            self._searches[key] = self._search(*key)
        keys = self._searches_of.setdefault(importer, set())
        if key not in keys:
            keys.add(key)
            self._news.add(importer)
        return self._searches[key].found

    def news(self) -> Iterator[Links]:
        """Yield the dependencies of each file that has new ones since the last call."""
        for importer in sorted(self._news):
            searches = [self._searches[key] for key in self._searches_of[importer]]
            looked = {path for search in searches for path in search.looked} | set(self._chain(importer.parent))
            yield Links(
                str(importer),
                tuple(sorted({str(search.found) for search in searches if search.found is not None})),
                tuple(sorted(str(path) for path in looked if self._there[path])),
                tuple(sorted(str(path) for path in looked if not self._there[path])),
            )
        self._news.clear()

    def _search(self, folder: Path, dotted: str, level: int) -> _Search:
        packages = self.packages(folder)
        if level:
            for _ in range(level - 1):
                folder = folder.parent
        elif packages:
            folder = packages[0].parent
        base = folder.joinpath(*dotted.split(".")) if dotted else folder
        looked: list[Path] = []
        for path in (base / _INIT, base.with_name(base.name + ".py")):
            looked.append(path)
            if self._is_file(path):
                return _Search(self.resolved(path), tuple(looked))
        return _Search(None, tuple(looked))

    def _chain(self, folder: Path) -> Iterator[Path]:
        """Yield the ``__init__.py`` paths that decide how far a folder's package reaches."""
        packages = self.packages(folder)
        yield from (package / _INIT for package in packages)
        yield (packages[0].parent if packages else folder) / _INIT

    def _is_file(self, path: Path) -> bool:
        if path not in self._there:
            self._there[path] = path.is_file()
        return self._there[path]
