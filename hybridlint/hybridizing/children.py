"""Obstacles to a class's conversion in the classes of its children: a Block in another file, or findings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import BlockRef
from hybridlint.analysis.run.run import AnalysisRun
from hybridlint.analysis.syntax.building import instance_of
from hybridlint.hybridizing.candidates import is_plain
from hybridlint.hybridizing.outcome import ConversionOutcome, ConversionStatus
from hybridlint.runtime.facts.records import replace

if TYPE_CHECKING:
    from hybridlint.analysis.project.program import ClassInfo, Project
    from hybridlint.checking.pipeline import Pipeline


def advise_children(
    outcome: ConversionOutcome, info: ClassInfo, project: Project, pipeline: Pipeline
) -> ConversionOutcome:
    """Return an outcome whose first reason says which child to repair or convert first, if that may be the cause."""
    if outcome.status is ConversionStatus.PROVED or not outcome.reasons:
        return outcome
    advice = next(_advice(outcome, info, project, pipeline), None)
    if advice is None:
        return outcome
    first = replace(outcome.reasons[0], text=f"{outcome.reasons[0].text}; {advice}")
    return replace(outcome, reasons=(first, *outcome.reasons[1:]))


def _advice(outcome: ConversionOutcome, info: ClassInfo, project: Project, pipeline: Pipeline) -> Iterator[str]:
    for child in _children(info, project):
        name, file = child.node.name, child.module.source.path.name
        if is_plain(child) and child.module is not info.module and f"`{name}`," in outcome.reasons[0].text:
            yield f"name {file} too, where it is defined"
        elif (
            child.hybrid
            and not is_plain(child)
            and outcome.status is ConversionStatus.PART
            and _has_errors(child, pipeline)
        ):
            yield f"its child {name} in {file} has findings: repair it first, with `hybridlint check --fix`"


def _children(info: ClassInfo, project: Project) -> Iterator[ClassInfo]:
    """Yield the classes of a block's children that the project defines."""
    held = instance_of(AnalysisRun(project, info.module), info).attributes.values()
    blocks = (one for value in held if isinstance(value, BlockRef) for one in value.known)
    yield from {id(b.info): b.info for b in blocks if b.info is not None}.values()  # type: ignore[misc]


def _has_errors(child: ClassInfo, pipeline: Pipeline) -> bool:
    source, rows = child.module.source, range(child.node.lineno, (child.node.end_lineno or child.node.lineno) + 1)
    [result] = pipeline.as_it_is().of_text(source.path, source.text.encode()).results
    return any(found.severity == "error" and found.location.row in rows for found in result.diagnostics)
