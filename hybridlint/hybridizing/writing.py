"""Reading the files to convert, and writing the converted ones."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hybridlint.analysis.mxnet.classes import BLOCK
from hybridlint.checking.pipeline import Pipeline
from hybridlint.core.errors import UsageError
from hybridlint.core.result import Result
from hybridlint.hybridizing.files import Converted
from hybridlint.project.files.original import read
from hybridlint.runtime.facts.records import record, replace
from hybridlint.system.file_identity import FileIdentity
from hybridlint.text.source import SourceError, SourceFile

#: A file that defines blocks contains at least one of these words.
_WORDS = (BLOCK, "Sequential", "Cell", "gluon")


@record(frozen=True, slots=True)
class ReadFile:
    """A file that was read, and its identity on disk, by which a later change is noticed."""

    source: SourceFile
    identity: FileIdentity


def read_files(paths: Iterable[Path], left_out: list[str] | None = None) -> dict[Path, ReadFile]:
    """Return the files that may define blocks, by absolute path; files that cannot be read or parsed are left out.

    A sentence for each of these is added to `left_out`; without it, raises UsageError for a file that cannot be read.
    """
    found: dict[Path, ReadFile] = {}
    for path in paths:
        absolute = Path(os.path.abspath(path))
        try:
            data, identity = read(path)
            source = SourceFile.decode(absolute, data)
            if any(word in source.text for word in _WORDS):
                source.tree  # noqa: B018 - raises where it is no Python
                found[absolute] = ReadFile(source, identity)
        except OSError as error:
            reason = f"cannot read {path}: {error.strerror}"
            if left_out is None:
                raise UsageError(reason) from error
            left_out.append(reason)
        except SourceError as error:
            # Nothing else of the project depends on it.
            if left_out is not None:
                left_out.append(f"{path}: it was left out, as it is no Python: {error.reason} (line {error.row})")
    return found


def write(done: Sequence[Converted], original: Mapping[Path, ReadFile], pipeline: Pipeline) -> list[str]:
    """Write the changed files of `done`, and return a sentence for each that could not be written."""
    failures: list[str] = []
    for each in done:
        if not each.text.changed:
            continue
        read_before = original[each.path]
        if not read_before.source.faithful:
            failures.append(f"{each.path}: its encoding does not give back the bytes of the file; save it as UTF-8")
            continue
        fixed = replace(each.text, identity=read_before.identity)
        [result] = pipeline.write([Result(each.path, fixed=fixed)])
        failures += [f"{each.path}: {result.failure}"] if result.failure else []
    return failures
