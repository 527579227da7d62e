"""What git ignores: the .gitignore files of a repository, as far as a walk through its folders meets them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

FILE_NAME = ".gitignore"


@dataclass(frozen=True, slots=True)
class Ignored:
    """The .gitignore files that hold in a folder, the innermost first, each with its own folder.

    `within` tells whether the folder belongs to a repository: elsewhere such files mean nothing.
    """

    within: bool = False
    files: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    def match(self, path: Path, *, folder: bool) -> bool:
        """Whether git ignores a path below; the innermost file that speaks of it decides, and in it the last line."""
        absolute = os.path.abspath(path)
        for root, spec in self.files:
            name = os.path.relpath(absolute, root).replace(os.sep, "/") + "/" * folder
            included = spec.check_file(name).include
            if included is not None:
                return included
        return False

    def entered(self, folder: Path) -> Ignored:
        """Return what holds in a folder below: its own .gitignore comes first; another repository begins anew."""
        path = os.path.abspath(folder)
        if os.path.exists(os.path.join(path, ".git")):
            return Ignored(True, tuple(_read(path)))
        own = tuple(_read(path)) if self.within else ()
        return Ignored(True, (*own, *self.files)) if own else self


def ignored_in(folder: Path) -> Ignored:
    """Return what git ignores in a folder; nothing outside of a repository."""
    found = Ignored()
    for place in reversed([*_upward(os.path.abspath(folder))]):
        found = found.entered(Path(place))
    return found


def _upward(folder: str) -> Iterator[str]:
    """Yield a folder and those around it, up to that of the repository; nothing where there is none."""
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
        with open(path, encoding="utf-8", errors="surrogateescape") as stream:
            yield folder, GitIgnoreSpec.from_lines(stream.read().splitlines())
    except (OSError, ValueError):
        # As for git, a file that cannot be read ignores nothing.
        return
