"""The files and classes that the arguments ``PATH`` and ``PATH::Class`` of the command line select."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.analysis.interpret import new_project
from hybridlint.errors import UsageError
from hybridlint.hybridizing.candidates import classes, plain_networks
from hybridlint.runtime.facts.records import record
from hybridlint.text.source import SourceError, SourceFile
from hybridlint.text.suggest import did_you_mean

if TYPE_CHECKING:
    from hybridlint.checking.session import Session

_BETWEEN = "::"


@record(frozen=True, slots=True)
class Choice:
    """The selected files, and by absolute path the selected classes of a file; other files count as a whole."""

    files: tuple[Path, ...]
    classes: Mapping[Path, Collection[str]]


def chosen(session: Session, paths: Sequence[str]) -> Choice:
    """Return the files and classes that `paths` select. Raises UsageError for a path or class that does not exist."""
    whole: list[Path] = []
    single: dict[Path, set[str]] = {}
    for text in paths:
        path, between, name = text.partition(_BETWEEN)
        if not between:
            whole += session.modules([Path(path)])
            continue
        file = Path(path)
        if not file.is_file():
            raise UsageError(f"{text}: {_BETWEEN} stands between a file and a class, and {path} is no file")
        single.setdefault(file, set()).add(_known(file, name))
    files = dict.fromkeys([*whole, *single])
    named = {Path(os.path.abspath(path)): names for path, names in single.items() if path not in whole}
    return Choice(tuple(files), named)


def _known(path: Path, name: str) -> str:
    try:
        source = SourceFile.read(path)
        module = new_project().module(source)
        known = [*(each for each, _ in classes(module)), *plain_networks(module)]
    except SourceError as error:
        raise UsageError(f"{path}: {error.reason} (line {error.row})") from error
    if name not in known:
        message = f"{path} defines no class, and no function that builds a network, of the name `{name}`."
        raise UsageError(f"{message}{did_you_mean(name, known)}")
    return name
