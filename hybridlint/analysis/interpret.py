"""The interpreter's entry point: takes a source file and returns events."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.analysis import grammar  # noqa: F401
from hybridlint.analysis.imports.finder import ImportFinder
from hybridlint.analysis.mxnet.dialect import MXNET
from hybridlint.analysis.mxnet.entries.files import file_events
from hybridlint.analysis.project.program import Project
from hybridlint.analysis.run.run import AnalysisRun, Blocks
from hybridlint.analysis.run.shared import Shared
from hybridlint.text.regular import read_regular

if TYPE_CHECKING:
    from hybridlint.analysis.model.events import Event
    from hybridlint.analysis.model.values import Value
    from hybridlint.runtime.facts.declared import DeclaredShapes
    from hybridlint.runtime.facts.types import Shape
    from hybridlint.text.source import SourceFile


def new_project(files: ImportFinder | None = None, read: Callable[[Path], bytes] = read_regular) -> Project:
    """Return an empty project, which has read no file yet. By default it finds and reads files on disk."""
    return Project(MXNET, files or ImportFinder(), read)


def module_events(
    source: SourceFile,
    project: Project | None = None,
    recorded: Mapping[str, Mapping[str, Shape]] | None = None,
    declared: Mapping[str, DeclaredShapes] | None = None,
    *,
    draft: bool = False,
    without: frozenset[str] = frozenset(),
    events: list[Event] | None = None,
) -> list[Event]:
    """Return the events of all hybrid code in a file, in no particular order.

    `recorded` holds shapes of inputs observed in a real run, by class and argument name, and `declared` what is said of
    operators that MXNet does not have. Other files do not import a `draft`. The module's definitions called
    `without` are only analyzed where others lead there. The events are added to the list `events`, if one is given, so
    that its owner has them even where the analysis is broken off. Raises SourceError if the file does not parse.
    """
    return _analyzed(
        source, project or new_project(), recorded, declared, draft=draft, without=without, events=events
    ).events


def module_values(
    source: SourceFile,
    recorded: Mapping[str, Mapping[str, Shape]] | None = None,
    declared: Mapping[str, DeclaredShapes] | None = None,
) -> Mapping[ast.AST, Value]:
    """Return the value of each expression of a file's hybrid code, joined over all executions.

    Raises SourceError if the file does not parse.
    """
    return _analyzed(source, new_project(), recorded, declared).seen.values


def _analyzed(
    source: SourceFile,
    project: Project,
    recorded: Mapping[str, Mapping[str, Shape]] | None,
    declared: Mapping[str, DeclaredShapes] | None,
    *,
    draft: bool = False,
    without: frozenset[str] = frozenset(),
    events: list[Event] | None = None,
) -> AnalysisRun:
    with project.lock:
        shared = project.shared(Shared)
        blocks = Blocks(recorded=recorded or {})
        module = project.draft(source) if draft else project.module(source)
        run = AnalysisRun(project, module, blocks=blocks, shared=shared, tokens=shared.tokens, declared=declared or {})
        run.events = run.events if events is None else events
        file_events(run, without)
        shared.tokens = run.tokens
        if run.reuse.changed:
            # It may have changed objects that instances of blocks hold.
            shared.forget()
        return run
