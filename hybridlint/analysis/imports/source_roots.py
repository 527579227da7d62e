"""The folders in which Python may look for a file's absolute imports: the entries that `sys.path` may have."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from hybridlint.analysis.imports.folder_listings import ListFolder
from hybridlint.runtime.facts.records import record
from hybridlint.text.regular import read_regular

#: What the top folder of a project has: a repository of its history, or a file that builds or configures it.
_REPOSITORIES = (".git", ".hg")
_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg", "hybridlint.toml", ".hybridlint.toml")
MARKS = frozenset((*_REPOSITORIES, *_PROJECT_FILES))
#: How many folders above a file's own belong to a project that has none of these.
_MOST_ABOVE = 3
#: Folders of installed packages, above which no code of theirs lies.
_INSTALLED = ("site-packages", "dist-packages")
_SOURCES = "src"
#: Most files of a folder that are read to learn how its modules are imported.
_MOST_FILES = 200
_SCRIPT = re.compile(rb"""^if __name__ == ["']__main__["']""", re.MULTILINE)


@record(frozen=True, slots=True)
class RootEvidence:
    """Whether something is so, by the text of files, which were read for it."""

    holds: bool
    files: tuple[str, ...]


class SourceRoots:
    """Finds the folders from which the files of a folder may import, likeliest first.

    `packages` returns a folder and the packages around it, outermost first, and `listing` the names in a folder.
    """

    def __init__(self, listing: ListFolder, packages: Callable[[Path], tuple[Path, ...]]) -> None:
        self._listing = listing
        self._packages = packages
        self._roots: dict[Path, tuple[str, ...]] = {}
        self._tops: dict[Path, Path] = {}
        #: The marks that were looked for, of any folder and of each.
        self._there: dict[str, bool] = {}
        self._marks: dict[Path, dict[str, bool]] = {}
        self._parts: dict[Path, RootEvidence] = {}
        self._scripts: dict[str, RootEvidence] = {}

    def first(self, folder: Path) -> Path:
        """Return the folder around the outermost package that a folder is in, the folder itself if it is in none."""
        packages = self._packages(folder)
        return packages[0].parent if packages else folder

    def roots(self, folder: Path) -> tuple[str, ...]:
        """Return the folder of scripts or around the package, then those above, each with its folder of sources."""
        first = self.first(folder)
        if first not in self._roots:
            above = [first, *_up_to(first, self.top(first))]
            found = [str(path) for path in above]
            for path in above:
                if _SOURCES in self._listing(str(path)).folders:
                    found.insert(found.index(str(path)) + 1, str(path / _SOURCES))
            self._roots[first] = tuple(dict.fromkeys(found))
        return self._roots[first]

    def is_marked(self, first: Path) -> bool:
        """Return whether a folder around says that a project begins there, so that its top folder is no guess."""
        self.top(first)
        return any(self._marks[first].values())

    def top(self, first: Path) -> Path:
        """Return the top folder of the project that a folder belongs to."""
        if first not in self._tops:
            self._tops[first] = self._top(first)
        return self._tops[first]

    def looked_for(self, folder: Path) -> Iterator[tuple[str, bool]]:
        """Yield the marks that decided where the project of a folder begins, and whether each is there."""
        first = self.first(folder)
        self.top(first)
        yield from self._marks[first].items()

    def has_script(self, folder: str) -> RootEvidence:
        """Return whether a folder holds a script: run as one, it imports from its own folder."""
        if folder not in self._scripts:
            self._scripts[folder] = self._evidence([folder], _SCRIPT)
        return self._scripts[folder]

    def is_part(self, folder: Path) -> RootEvidence:
        """Return whether files import a folder without ``__init__.py`` as a package, rather than run its scripts."""
        if folder not in self._parts:
            above = _up_to(folder, self.top(folder))
            name, places = re.escape(folder.name.encode(errors="surrogateescape")), [str(path) for path in above]
            inner = re.compile(rb"^[ \t]*(?:from[ \t]+\.|(?:from|import)[ \t]+(?:\w+\.)*%b\b)" % name, re.MULTILINE)
            outer = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(?:\w+\.)*%b\b" % name, re.MULTILINE)
            own = self._evidence([str(folder)], inner)
            others = RootEvidence(False, ()) if own.holds else self._evidence(places, outer)
            self._parts[folder] = RootEvidence(own.holds or others.holds, (*own.files, *others.files))
        return self._parts[folder]

    def _evidence(self, folders: list[str], pattern: re.Pattern[bytes]) -> RootEvidence:
        """Return whether a file directly in one of the folders has a text that matches."""
        read: list[str] = []
        for folder in folders:
            for name in sorted(self._listing(folder).files)[:_MOST_FILES]:
                read.append(os.path.join(folder, name))
                try:
                    if pattern.search(read_regular(read[-1])):
                        return RootEvidence(True, tuple(read))
                except OSError:
                    continue
        return RootEvidence(False, tuple(read))

    def _top(self, first: Path) -> Path:
        marks = self._marks[first] = {}
        if is_installed(str(first)):
            return first
        above = [first, *first.parents]
        for kind in (_REPOSITORIES, _PROJECT_FILES):
            for folder in above:
                for name in kind:
                    mark = os.path.join(folder, name)
                    if mark not in self._there:
                        self._there[mark] = os.path.lexists(mark)
                    marks[mark] = self._there[mark]
                    if marks[mark]:
                        return folder
        # The top of a disk and the folders of users hold more than one project.
        own = [folder for folder in above if folder is first or (len(folder.parts) > 2 and folder != Path.home())]
        return own[: _MOST_ABOVE + 1][-1]


def is_installed(root: str) -> bool:
    """Return whether a folder holds the packages that are installed."""
    return os.path.basename(root) in _INSTALLED


def _up_to(folder: Path, top: Path) -> list[Path]:
    """Return the folders above a folder, nearest first, as far as a top folder."""
    return [path for path in folder.parents if path == top or path.is_relative_to(top)]
