"""The files and classes that the arguments ``PATH`` and ``PATH::Class,Other`` of the command line select."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.core.errors import UsageError
from hybridlint.runtime.facts.records import record
from hybridlint.text.source import SourceError, SourceFile
from hybridlint.text.suggest import did_you_mean

if TYPE_CHECKING:
    from hybridlint.checking.session import CheckSession
    from hybridlint.project.adoption.base_revision import BaseRevision

_BETWEEN = "::"


@record(frozen=True, slots=True)
class OptionChoice:
    """The selected files, and by absolute path the selected classes of a file; other files count as a whole."""

    files: tuple[Path, ...]
    classes: Mapping[Path, Collection[str]]


@record(frozen=True, slots=True)
class Selectable:
    """The names that may follow ``::``: the names in a file (`named`), and their kind in words."""

    named: Callable[[SourceFile], Collection[str]]
    kind: str


def choose_files(
    session: CheckSession, paths: Sequence[str], selectable: Selectable, base: BaseRevision | None = None
) -> OptionChoice:
    """Return the files and classes that `paths` select, without files that no change since `base` concerns.

    Raises UsageError for a class that does not exist.
    """
    whole: list[Path] = []
    single: dict[Path, set[str]] = {}
    for text in paths:
        path, between, names = text.partition(_BETWEEN)
        if not between:
            whole += session.modules([Path(path)])
            continue
        file = Path(path)
        if not file.is_file():
            raise UsageError(f"{text}: {_BETWEEN} must follow a file, and {path} is not a file")
        for kept in session.modules([file]):
            single.setdefault(kept, set()).update(_known(file, names.split(","), selectable))
    files = list(dict.fromkeys([*whole, *single]))
    files = files if base is None else base.affected(files)
    named = {Path(os.path.abspath(path)): names for path, names in single.items() if path not in whole}
    return OptionChoice(tuple(files), named)


def _known(path: Path, names: Sequence[str], selectable: Selectable) -> list[str]:
    """Return the names without the blanks around them. Raises UsageError for those that the file does not have."""
    try:
        known = selectable.named(SourceFile.read(path))
    except SourceError as error:
        raise UsageError(f"{path}: {error.reason} (line {error.row})") from error
    asked = [name.strip() for name in names]
    missing = [f"of the name `{name}`.{did_you_mean(name, known)}" for name in asked if name not in known]
    if missing:
        raise UsageError(f"{path} defines no {selectable.kind}, {' Nor one '.join(missing)}")
    return asked
