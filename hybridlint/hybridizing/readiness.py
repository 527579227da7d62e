"""The readiness of blocks for `hybridize()`, class by class."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridlint.analysis.interpret import new_project
from hybridlint.core.coverage import CUT_OFF, FUNCTION_CUT_OFF
from hybridlint.hybridizing.candidates import classes, is_plain, plain_networks
from hybridlint.hybridizing.deep_nesting import too_deep
from hybridlint.hybridizing.draft import draft
from hybridlint.hybridizing.file_order import children_first
from hybridlint.hybridizing.outcome import Reason
from hybridlint.runtime.facts.records import record
from hybridlint.system.call_depth import deep
from hybridlint.text.source import SourceFile

if TYPE_CHECKING:
    from hybridlint.analysis.project.program import ClassInfo, Project, ProjectFile
    from hybridlint.checking.pipeline import Pipeline
    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.core.result import Result
    from hybridlint.hybridizing.draft import Draft

#: Severities of the findings that make a hybrid class not clean.
_COUNTED = frozenset({"error", "warning"})


class ReadinessState(Enum):
    """How ready a block is, from best to worst."""

    CLEAN = "hybrid and clean"
    FIXABLE = "hybrid, fixable"
    PERSON = "hybrid, needs a person"
    CONVERTIBLE = "convertible"
    PARTLY = "convertible in part"
    IMPOSSIBLE = "not convertible"


@record(frozen=True, slots=True)
class Readiness:
    """The state of a block, a class or a network-building function, and the first reason for it."""

    path: Path
    block: str
    row: int
    state: ReadinessState
    reason: Reason | None = None
    #: Whether the repair of a block that can be fixed needs unsafe fixes.
    unsafe: bool = False
    #: How many of its functions the analysis cut off.
    cut_off: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the readiness as JSON data."""
        return {
            "filename": str(self.path),
            "block": self.block,
            "row": self.row,
            "state": self.state.value,
            "reason": None if self.reason is None else {"text": self.reason.text, "row": self.reason.row},
            "coverage": FUNCTION_CUT_OFF if self.cut_off else None,
        }


def readiness(
    sources: Sequence[SourceFile], pipeline: Pipeline, progress: Callable[[int, int], None] = lambda done, of: None
) -> list[Readiness]:
    """Return the readiness of each block in the files, in order. `progress` is told how many files are done."""
    project = new_project()
    checked = {result.path: result for result in pipeline.of_files([source.path for source in sources]).results}
    found: dict[Path, list[Readiness]] = {}
    for source in children_first(sources):
        progress(len(found), len(sources))
        found[source.path] = _of_file(source, project, pipeline, checked[source.path])
    return [each for source in sources for each in sorted(found[source.path], key=lambda each: each.row)]


def _of_file(source: SourceFile, project: Project, pipeline: Pipeline, result: Result) -> list[Readiness]:
    try:
        with deep():
            return list(_of_blocks(project.module(source), project, pipeline, result))
    except RecursionError:
        found = too_deep(source)
        return [Readiness(source.path, name, why.row, ReadinessState.IMPOSSIBLE, why) for name, why in found]


def _of_blocks(module: ProjectFile, project: Project, pipeline: Pipeline, result: Result) -> Iterator[Readiness]:
    known = dict(classes(module))
    blocks = {name: info for name, info in known.items() if info.block}
    yield from (_hybrid(name, info, known, result) for name, info in blocks.items() if not is_plain(info))
    functions = plain_networks(module)
    rows = {name: info.node.lineno for name, info in blocks.items() if is_plain(info)}
    rows |= {name: node.lineno for name, node in functions.items()}
    if not rows:
        return
    made = draft(module, project, pipeline)
    if made.after is not made.before:
        project.module(made.after)
    yield from (_plain(name, row, made) for name, row in rows.items())


def _hybrid(name: str, info: ClassInfo, known: dict[str, ClassInfo], result: Result) -> Readiness:
    own = [d for d in result.diagnostics if d.severity in _COUNTED and _around(d, known) == name]
    left = next((d for d in own if not d.fixable(unsafe=True)), None)
    foremost = left or next(iter(own), None)
    state = (
        ReadinessState.CLEAN if foremost is None else ReadinessState.FIXABLE if left is None else ReadinessState.PERSON
    )
    reason = None if foremost is None else Reason(foremost.message, foremost.location.row)
    unsafe = state is ReadinessState.FIXABLE and not all(d.fixable(unsafe=False) for d in own)
    cut_off = sum(d.name == CUT_OFF and _around(d, known) == name for d in result.diagnostics)
    return Readiness(result.path, name, info.node.lineno, state, reason, unsafe, cut_off)


def _around(diagnostic: Diagnostic, known: dict[str, ClassInfo]) -> str:
    """Return the name of the innermost class around a finding, "" outside of classes."""
    row = diagnostic.location.row
    around = [name for name, info in known.items() if info.node.lineno <= row <= (info.node.end_lineno or row)]
    return around[-1] if around else ""


def _plain(name: str, row: int, made: Draft) -> Readiness:
    path = made.before.path
    if name in made.impossible:
        return Readiness(path, name, row, ReadinessState.IMPOSSIBLE, made.impossible[name])
    if name in made.left:
        return Readiness(path, name, row, ReadinessState.PARTLY, made.left[name][0])
    return Readiness(path, name, row, ReadinessState.CONVERTIBLE)
