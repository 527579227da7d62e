"""The findings that explain a traceback: at a frame, or in the class that made the node of the graph."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.checking.pipeline import Pipeline
from hybridlint.documents.document import form_of
from hybridlint.explaining.messages import Message
from hybridlint.explaining.told import Told
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.source import SourceError, SourceFile

if TYPE_CHECKING:
    from hybridlint.diagnostic import Diagnostic
    from hybridlint.result import Result

_SEVERE = frozenset({"error", "warning"})
#: Most findings of a class that are shown.
_MOST = 3


@record(frozen=True, slots=True)
class Cause:
    """Findings that explain a traceback, and how they were found: ``at a frame``, ``in the class Net``."""

    where: str
    result: Result


def cause(told: Told, message: Message | None, pipeline: Pipeline, files: Sequence[Path]) -> Cause | None:
    """Return the findings that explain what was told, None if there are none.

    First the frames are asked, innermost first, then the class in `files` that the node's name tells, then the classes
    of all files with findings of the rules that the message belongs to, if there is only one such class.
    """
    frames = [(path, row) for name, row in told.frames if (path := _local(name, files)) is not None]
    for path, row in reversed(frames):
        (result,) = pipeline.of_files([path]).results
        found = [each for each in _severe(result) if each.location.row <= row <= each.end_location.row]
        if found:
            return Cause("at the traceback's line", _only(result, found[:1]))
    known = list(dict.fromkeys([*(path for path, _ in frames), *files]))
    results = pipeline.of_files(known).results
    classes = [_Class(result, node) for result in results for node in _classes(result)]
    if told.node is not None:
        named = [each for each in classes if each.made(told.node)]
        for each in sorted(named, key=lambda each: each.position(told.node or ""), reverse=True):
            found = each.found(message)
            if found:
                return Cause(f"in `{each.node.name}`, which made the node `{told.node}`", _only(each.result, found))
        return None
    if message is None:
        return None
    with_cause = [each for each in classes if each.found(message, exactly=True)]
    if len(with_cause) == 1:
        [each] = with_cause
        return Cause(f"in `{each.node.name}`", _only(each.result, each.found(message, exactly=True)))
    return None


@record(frozen=True, slots=True)
class _Class:
    result: Result
    node: ast.ClassDef

    @property
    def _prefix(self) -> re.Pattern[str]:
        """How Gluon names the instances of the class: its name in small letters, and a number."""
        return re.compile(rf"(?:^|_){re.escape(self.node.name.lower())}\d+_")

    def made(self, node: str) -> bool:
        """Whether a node's name has the prefix of the class."""
        return self._prefix.search(node) is not None

    def position(self, node: str) -> int:
        """Return where in a node's name the innermost prefix of the class stands."""
        return max(match.start() for match in self._prefix.finditer(node))

    def found(self, message: Message | None, *, exactly: bool = False) -> list[Diagnostic]:
        """Return the findings in the class that belong to a message, or else, unless `exactly`, some of all."""
        first, last = self.node.lineno, self.node.end_lineno or self.node.lineno
        inside = [each for each in _severe(self.result) if first <= each.location.row <= last]
        selectors = message.selectors if message is not None else ()
        fitting = [each for each in inside if selectors and each.code.startswith(selectors)]
        return (fitting if fitting or exactly else inside)[:_MOST]


def _severe(result: Result) -> Iterator[Diagnostic]:
    return (each for each in result.diagnostics if each.severity in _SEVERE)


def _classes(result: Result) -> Iterator[ast.ClassDef]:
    """Yield the classes of a file with findings, inner ones too."""
    if not result.text:
        return
    try:
        tree = SourceFile(result.path, result.text).tree
    except SourceError:
        return
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def _only(result: Result, found: Iterable[Diagnostic]) -> Result:
    return replace(result, diagnostics=tuple(found))


def _local(name: str, files: Sequence[Path]) -> Path | None:
    """Return the file that a frame names: as it stands, or by its end, if the traceback is another machine's."""
    path = Path(os.path.expanduser(name))
    if "site-packages" in path.parts or "dist-packages" in path.parts or name.startswith("<"):
        return None
    if path.is_file() and form_of(path) is None:
        return path
    ends = [file for file in files if file.name == path.name]
    ends.sort(key=lambda file: _shared(file, path), reverse=True)
    return ends[0] if ends else None


def _shared(one: Path, other: Path) -> int:
    """Return how many parts at the end two paths share."""
    pairs = zip(reversed(one.parts), reversed(other.parts), strict=False)
    return next((number for number, (a, b) in enumerate(pairs) if a != b), len(one.parts))
