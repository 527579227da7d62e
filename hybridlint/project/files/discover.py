"""Discovery of the files to check, from the command line's paths, in a fixed order."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path, PurePath

from hybridlint.core.errors import UsageError
from hybridlint.project.files.gitignore import Ignored, ignored_in
from hybridlint.runtime.facts.records import record

#: Folders that are skipped unless they are named on the command line.
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

#: What is checked in folders; other documents are checked where they are named.
SUFFIXES = (".py", ".ipynb")


@record(frozen=True, slots=True)
class Excludes:
    """Patterns of excluded paths, relative to `root`: a name, or a path with ``*``, ``?`` and ``**``."""

    root: Path
    patterns: tuple[str, ...] = ()
    #: Whether files that git ignores are excluded too.
    gitignore: bool = True

    def match(self, path: Path) -> bool:
        """Whether a file or folder found during the walk is excluded."""
        return path.name in DEFAULT_EXCLUDES or any(matches(path, pattern, self.root) for pattern in self.patterns)

    def match_named(self, path: Path) -> bool:
        """Whether a file or folder named on the command line, or one of its parents, is excluded."""
        absolute = Path(os.path.abspath(path))
        below = absolute.relative_to(self.root).parts if absolute.is_relative_to(self.root) else (path.name,)
        return any(name in DEFAULT_EXCLUDES for name in below) or self.match(path)


def matches(path: Path, pattern: str, root: Path) -> bool:
    """Whether a pattern matches the path's name, its path under `root`, or one of its parent folders."""
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
    """Return the Python files and notebooks under the paths, each once, in order of folder and name.

    `excludes_of` returns the exclusions of a folder. A file named directly is included anyway, unless `force_exclude`
    is true. An unreadable folder, and a path that does not exist, is returned like a file, so that reading it reports
    the error. Raises UsageError for a class of a file.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        if force_exclude and excludes_of(path if path.is_dir() else path.parent).match_named(path):
            continue
        for file in _expand(path, excludes_of):
            found.setdefault(Path(os.path.abspath(file)), file)
    return list(found.values())


def files_below(folder: Path, suffix: str, most: int) -> list[Path]:
    """Return the first files of a kind below a folder, whatever settings exclude: no more are looked for than `most`.

    The kind is that of Python files or of notebooks.
    """
    excludes = Excludes(folder)
    found = (path for path in _expand(folder, lambda _: excludes) if path.suffix == suffix)
    return list(islice(found, most))


def _expand(path: Path, excludes_of: Callable[[Path], Excludes]) -> Iterator[Path]:
    if path.is_dir():
        yield from _walk(path, excludes_of, ignored_in(path.parent), os.path.join(os.path.realpath(path), ""))
    else:
        file, between, _ = str(path).partition("::")
        if between and os.path.exists(file) and not path.exists():
            raise UsageError(f"`{path}` names a class, and this command takes whole files: write `{file}`")
        yield path


def _walk(folder: Path, excludes_of: Callable[[Path], Excludes], around: Ignored, top: str) -> Iterator[Path]:
    """Yield the files below a folder. `around` holds the ignore rules of the parent folder.

    A link that leads out of the folder `top` is skipped, because fixing would write there.
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
            not entry.name.endswith(SUFFIXES)
            or not os.path.isfile(path)
            or (entry.is_symlink() and not os.path.realpath(path).startswith(top))
        ):
            continue
        elif not excludes.match(path) and not ignored.match(path, folder=False):
            yield path


def _expression(pattern: str) -> re.Pattern[str]:
    """Translate a pattern to a regular expression: ``**/`` matches any folders, ``*`` and ``?`` within a name."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meaning.get(part, re.escape(part)) for part in parts))
