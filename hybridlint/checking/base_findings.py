"""The findings that a base revision does not have: ``--since`` reports these, wherever they are.

A finding is known if the base revision has one of the same rule in the same place: the same text of its lines, in the
same file. Which lines changed does not matter, as what breaks one may be changed elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.checking.checker import Job, check
from hybridlint.checking.text_versions import RefixState
from hybridlint.core.fingerprint import identities
from hybridlint.core.result import Result
from hybridlint.project.settings.config import Config
from hybridlint.runtime.facts.records import replace
from hybridlint.text.rows import rows_between

if TYPE_CHECKING:
    from hybridlint.analysis.project.program import Project
    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.project.adoption.base_revision import BaseRevision

#: A finding apart from its row: the rule's code, the text of its lines, and that of the place in another file.
_Identity = tuple[str, str, str]


def without_known(results: Sequence[Result], revision: BaseRevision, config: Callable[[Path], Config]) -> list[Result]:
    """Return results without the findings that the base revision has too. Raises UsageError.

    Only files with findings are checked as the base revision has them. `config` returns the settings for a folder.
    """
    project = _project(revision)
    return [
        _new(result, _base(result, revision, project, config(result.path.parent))) if result.diagnostics else result
        for result in results
    ]


def _project(revision: BaseRevision) -> Project:
    from hybridlint.analysis.imports.finder import ImportFinder
    from hybridlint.analysis.interpret import new_project

    return new_project(ImportFinder(revision.listing), revision.read_import)


def _base(result: Result, revision: BaseRevision, project: Project, config: Config) -> Result:
    data = revision.read(result.path)
    if data is None:
        return Result(result.path)
    return check(Job(result.path, data, config, kept=RefixState(project=project)))


def _new(result: Result, base: Result) -> Result:
    """Return a result without the findings of the base: those on their old rows first, then equal ones elsewhere."""
    if not base.diagnostics:
        return result
    row_of = rows_between(base.text, result.text)
    known = [(identity, row_of(found.location.row)) for found, identity in _identified(base)]
    placed = Counter(known)
    rest: list[tuple[Diagnostic, _Identity]] = []
    for found, identity in _identified(result):
        if placed[identity, found.location.row] > 0:
            placed[identity, found.location.row] -= 1
        else:
            rest.append((found, identity))
    moved: Counter[_Identity] = Counter()
    for (identity, _), count in placed.items():
        moved[identity] += count
    new = set()
    for found, identity in rest:
        if moved[identity] > 0:
            moved[identity] -= 1
        else:
            new.add(id(found))
    return replace(result, diagnostics=tuple(found for found in result.diagnostics if id(found) in new))


def _identified(result: Result) -> Iterator[tuple[Diagnostic, _Identity]]:
    for found, (code, lines) in zip(result.diagnostics, identities(result), strict=True):
        yield found, (code, lines, "" if found.callee is None else found.callee.lines)
