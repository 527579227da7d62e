"""Which file an import leads to, as Python would find it, and what that answer rests on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_INIT = "__init__.py"


@dataclass(frozen=True, slots=True)
class Links:
    """What is known of a file beside its text: the files that its imports lead to, and which others are (not) there."""

    path: str
    imports: tuple[str, ...]
    present: tuple[str, ...]
    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Search:
    """Where an import leads, and the files that were looked for on the way."""

    found: Path | None
    looked: tuple[Path, ...]


class Finder:
    """Finds the files of imports and keeps what it met, so that each folder is looked into once."""

    def __init__(self) -> None:
        self._there: dict[Path, bool] = {}
        self._folders: dict[Path, Path] = {}
        self._packages: dict[Path, tuple[Path, ...]] = {}
        self._searches: dict[tuple[Path, str, int], _Search] = {}
        self._asked: dict[Path, set[tuple[Path, str, int]]] = {}
        self._news: set[Path] = set()

    def resolved(self, path: Path) -> Path:
        """Return a file's path with symbolic links followed; each folder is looked at once."""
        folder = path.parent
        if folder not in self._folders:
            self._folders[folder] = folder.resolve()
        return path.resolve() if path.is_symlink() else self._folders[folder] / path.name

    def packages(self, folder: Path) -> tuple[Path, ...]:
        """Return the folders of the package that a folder is, and of those around it, outermost first."""
        if folder not in self._packages:
            inside = self._is_file(folder / _INIT)
            self._packages[folder] = (*self.packages(folder.parent), folder) if inside else ()
        return self._packages[folder]

    def locate(self, importer: Path, dotted: str, level: int) -> Path | None:
        """Return the resolved path of the file that an import of another file leads to, None where there is none."""
        key = (importer.parent, dotted, level)
        if key not in self._searches:
            self._searches[key] = self._search(*key)
        asked = self._asked.setdefault(importer, set())
        if key not in asked:
            asked.add(key)
            self._news.add(importer)
        return self._searches[key].found

    def news(self) -> Iterator[Links]:
        """Yield what is known of each file of which anything was learnt since the last time."""
        for importer in sorted(self._news):
            searches = [self._searches[key] for key in self._asked[importer]]
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
        """Yield the files that say how far the package reaches that a folder belongs to."""
        packages = self.packages(folder)
        yield from (package / _INIT for package in packages)
        yield (packages[0].parent if packages else folder) / _INIT

    def _is_file(self, path: Path) -> bool:
        if path not in self._there:
            self._there[path] = path.is_file()
        return self._there[path]
