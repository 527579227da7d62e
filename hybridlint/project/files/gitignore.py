"""The .gitignore files of a repository, read as a walk enters its folders."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.runtime.facts.records import record
from hybridlint.text.regular import read_regular

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

FILE_NAME = ".gitignore"


@record(frozen=True, slots=True)
class Ignored:
    """The .gitignore files that apply in a folder, innermost first, each with its own folder.

    `within` says whether the folder is inside a repository; outside, .gitignore files have no effect.
    """

    within: bool = False
    files: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    def match(self, path: Path, *, folder: bool) -> bool:
        """Whether git ignores a path. The innermost file with a matching line decides, by its last such line."""
        absolute = os.path.abspath(path)
        for root, spec in self.files:
            name = os.path.relpath(absolute, root).replace(os.sep, "/") + "/" * folder
            included = spec.check_file(name).include
            if included is not None:
                return included
        return False

    def entered(self, folder: Path) -> Ignored:
        """Return the rules for a subfolder: its .gitignore is put first. A nested repository starts with no rules."""
        path = os.path.abspath(folder)
        if os.path.exists(os.path.join(path, ".git")):
            return Ignored(True, tuple(_read(path)))
        own = tuple(_read(path)) if self.within else ()
        return Ignored(True, (*own, *self.files)) if own else self


def ignored_in(folder: Path) -> Ignored:
    """Return the ignore rules for a folder, none outside a repository."""
    found = Ignored()
    for place in reversed([*_upward(os.path.abspath(folder))]):
        found = found.entered(Path(place))
    return found


def _upward(folder: str) -> Iterator[str]:
    """Yield a folder and its parents up to the root of the repository, nothing outside a repository."""
    folders = [folder, *map(str, Path(folder).parents)]
    for number, place in enumerate(folders, 1):
        if os.path.exists(os.path.join(place, ".git")):
            yield from folders[:number]
            return


def _read(folder: str) -> Iterator[tuple[str, GitIgnoreSpec]]:
    path = os.path.join(folder, FILE_NAME)
    if not os.path.isfile(path):
        return
    from pathspec import GitIgnoreSpec

    try:
        text = read_regular(path).decode("utf-8", errors="surrogateescape")
        yield folder, GitIgnoreSpec.from_lines(text.splitlines())
    except (OSError, ValueError):
        # As in git, an unreadable file ignores nothing.
        return
