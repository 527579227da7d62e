"""From paths on the command line to the files that are checked, in an order that never changes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

from hybridlint.errors import UsageError
from hybridlint.files.gitignore import Ignored, ignored_in

#: Folders that are never entered unless they are named on the command line.
DEFAULT_EXCLUDES = (
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".hg",
    ".hybridlint_cache",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    "__pycache__",
    "__pypackages__",
    "_build",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
)

SUFFIX = ".py"

NOTEBOOK = ".ipynb"
NO_NOTEBOOKS = "notebooks cannot be checked yet; export the code with `jupyter nbconvert --to script` and check that"


@dataclass(frozen=True, slots=True)
class Excludes:
    """Patterns of paths that are left out, relative to `root`: a name, or a path with ``*``, ``?`` and ``**``."""

    root: Path
    patterns: tuple[str, ...] = ()
    #: Whether what git ignores is left out too.
    gitignore: bool = True

    def match(self, path: Path) -> bool:
        """Whether a file or folder that was met on the way is left out."""
        return path.name in DEFAULT_EXCLUDES or any(matches(path, pattern, self.root) for pattern in self.patterns)

    def match_named(self, path: Path) -> bool:
        """Whether a file or folder that was named is left out, or one of the folders around it."""
        absolute = Path(os.path.abspath(path))
        below = absolute.relative_to(self.root).parts if absolute.is_relative_to(self.root) else (path.name,)
        return any(name in DEFAULT_EXCLUDES for name in below) or self.match(path)


def matches(path: Path, pattern: str, root: Path) -> bool:
    """Whether a pattern means this path: by its name, by its path under `root`, or by that of a folder around it."""
    pattern = pattern.removeprefix("./").rstrip("/")
    absolute = Path(os.path.abspath(path))
    relative: PurePath = absolute.relative_to(root) if absolute.is_relative_to(root) else PurePath(path.name)
    candidates: list[PurePath] = [relative, *(p for p in relative.parents if p != PurePath("."))]
    expression = _expression(pattern)
    if "/" in pattern:
        return any(expression.fullmatch(candidate.as_posix()) for candidate in candidates)
    return any(expression.fullmatch(candidate.name) for candidate in candidates)


def discover(
    paths: Iterable[Path], excludes_of: Callable[[Path], Excludes], *, force_exclude: bool = False
) -> list[Path]:
    """Return the Python files that the paths mean, each once, folders in order of names.

    `excludes_of` tells what is left out in a folder; a file that is named itself is taken all the same unless
    `force_exclude` says otherwise. A folder that cannot be read stands for itself: whoever reads the files reports it
    like a file that cannot be read. Raises UsageError for a path that does not exist.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        if force_exclude and excludes_of(path if path.is_dir() else path.parent).match_named(path):
            continue
        for file in _expand(path, excludes_of):
            found.setdefault(Path(os.path.abspath(file)), file)
    return list(found.values())


def _expand(path: Path, excludes_of: Callable[[Path], Excludes]) -> Iterator[Path]:
    if path.is_dir():
        yield from _walk(path, excludes_of, ignored_in(path.parent), os.path.join(os.path.realpath(path), ""))
    elif path.exists():
        yield path
    else:
        raise UsageError(f"path `{path}` does not exist")


def _walk(folder: Path, excludes_of: Callable[[Path], Excludes], around: Ignored, top: str) -> Iterator[Path]:
    """Yield the files below a folder; `around` is what git ignores in the folder around it.

    A link that leads out of the folder `top` is left out: fixing would write there.
    """
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        yield folder
        return
    excludes = excludes_of(folder)
    ignored = around.entered(folder) if excludes.gitignore else Ignored()
    for entry in entries:
        path = folder / entry.name
        if entry.is_dir(follow_symlinks=False):
            if not excludes.match(path) and not ignored.match(path, folder=True):
                yield from _walk(path, excludes_of, ignored, top)
        elif (
            not entry.name.endswith(SUFFIX)
            or not os.path.isfile(path)
            or (entry.is_symlink() and not os.path.realpath(path).startswith(top))
        ):
            continue
        elif not excludes.match(path) and not ignored.match(path, folder=False):
            yield path


def _expression(pattern: str) -> re.Pattern[str]:
    """Translate a pattern: ``**/`` is any folders, ``*`` and ``?`` stay within one name."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meaning.get(part, re.escape(part)) for part in parts))
