"""Reading the files that are meant, and writing what became of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hybridlint.errors import UsageError
from hybridlint.files.original import ChangedError, Identity, read, replace
from hybridlint.hybridizing.files import Converted
from hybridlint.text.source import SourceError, SourceFile

#: Words of which a file has one if it defines blocks.
_WORDS = ("Block", "Sequential", "Cell", "gluon")


@dataclass(frozen=True, slots=True)
class Read:
    """A file as it was read."""

    source: SourceFile
    data: bytes
    identity: Identity


def read_files(paths: Iterable[Path]) -> dict[Path, Read]:
    """Return the files that may define blocks, by absolute path. Raises UsageError for one that cannot be read."""
    found: dict[Path, Read] = {}
    for path in paths:
        absolute = Path(os.path.abspath(path))
        try:
            data, identity = read(path)
            source = SourceFile.decode(absolute, data)
            if any(word in source.text for word in _WORDS):
                source.tree  # noqa: B018 - raises where it is no Python
                found[absolute] = Read(source, data, identity)
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror}") from error
        except SourceError:
            # `check` reports it; nothing else of the project depends on it.
            continue
    return found


def write(done: Sequence[Converted], original: Mapping[Path, Read]) -> list[str]:
    """Write the converted files, and return a sentence for each that could not be written."""
    failures: list[str] = []
    for each in done:
        if not each.changed:
            continue
        before = original[each.before.path]
        if not before.source.faithful:
            failures.append(f"{each.before.path}: its encoding does not give back its bytes; save it as UTF-8")
            continue
        try:
            replace(each.before.path, before.identity, before.data, each.after.text.encode(each.after.encoding))
        except ChangedError as error:
            failures.append(f"{each.before.path}: {error}")
        except OSError as error:
            failures.append(f"{each.before.path}: cannot write the file: {error.strerror}")
    return failures
