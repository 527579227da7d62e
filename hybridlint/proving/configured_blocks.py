"""The settings of a proof in a project's configuration, and a check that the blocks they name exist."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.core.errors import UsageError
from hybridlint.project.files.discover import Excludes, discover
from hybridlint.proving.devices import require
from hybridlint.proving.engines import choose_interpreter
from hybridlint.proving.recording.store import load_record
from hybridlint.proving.settings import ProofSettings, settings_from
from hybridlint.runtime.facts.records import replace
from hybridlint.text.regular import read_regular
from hybridlint.text.suggest import did_you_mean

if TYPE_CHECKING:
    from hybridlint.project.settings.config import Config

#: Definitions that a proof covers: classes, functions, and functions made by a lambda.
_DEFINED = re.compile(rb"^[ \t]*(?:class|(?:async[ \t]+)?def)[ \t]+(\w+)|^(\w+)[^=\n]*=[ \t]*lambda\b", re.MULTILINE)


def proof_settings(config: Config) -> ProofSettings:
    """Return the settings of a proof, including recorded setups. Raises UsageError for unusable values."""
    try:
        settings = settings_from(config.verify, config.root)
    except UsageError as error:
        raise UsageError(f"{config.path}: {error}") from error
    python = choose_interpreter(settings.engine, config.verify.get("python"), os.environ)
    require(settings.device, settings.engine)
    return replace(settings, python=python, record=load_record(config.root, config.recorded))


def check_inputs(config: Config, files: Iterable[Path]) -> None:
    """Raise UsageError if the settings name a file, class or function that does not exist.

    `files` are the files to be verified; definitions in all other files of the project count as well.
    """
    named = {key: key.rpartition(":") for key in config.verify.get("inputs", {})}
    for key, (file, _, name) in named.items():
        if file:
            _check_file(config, key, file, name)
    anywhere = {key for key, (file, _, _) in named.items() if not file}
    if not anywhere:
        return
    known = _defined(files)
    if any(_last(key) not in known for key in anywhere):
        excludes = Excludes(config.root, config.exclude, config.respect_gitignore)
        known |= _defined(discover([config.root], lambda _: excludes))
    for key in sorted(anywhere):
        if _last(key) not in known:
            raise _unknown(config, key, f"no file of the project defines `{key}`", did_you_mean(_last(key), known))


def _check_file(config: Config, key: str, file: str, name: str) -> None:
    path = config.root / file
    if not path.is_file():
        excludes = Excludes(config.root, config.exclude, config.respect_gitignore)
        there = [
            Path(os.path.relpath(found, config.root)).as_posix()
            for found in discover([config.root], lambda _: excludes)
        ]
        raise _unknown(config, key, f"there is no file `{file}` below {config.root}", did_you_mean(file, there))
    known = _defined([path])
    if _last(name) not in known:
        raise _unknown(config, key, f"`{file}` defines no `{name}`", did_you_mean(_last(name), known))


def _unknown(config: Config, key: str, reason: str, hint: str) -> UsageError:
    return UsageError(f"{config.path}: `verify.inputs.{key}`: {reason}.{hint}")


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _defined(files: Iterable[Path]) -> set[str]:
    """Return the names of the classes and functions that files define."""
    found: set[str] = set()
    for file in files:
        try:
            data = read_regular(file)
        except OSError:
            continue
        found |= {(cls or function).decode() for cls, function in _DEFINED.findall(data)}
    return found
