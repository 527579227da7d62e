"""The checks of the command line for programs: the same settings, findings, fixes and proofs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.checking.pipeline import Pipeline, PipelineSteps
from hybridlint.checking.session import CheckSession
from hybridlint.project.documents.places import merge_result, place_results
from hybridlint.runtime.facts.records import replace
from hybridlint.text.source import encode_text

if TYPE_CHECKING:
    from os import PathLike

    from hybridlint.core.result import Result


def check(
    *paths: str | PathLike[str],
    fix: bool = False,
    unsafe_fixes: bool = False,
    keep_eager: bool = False,
    verify: bool = False,
    possible: bool | None = None,
    cache: bool = False,
) -> tuple[Result, ...]:
    """Check files and folders as ``hybridlint check`` does, and return the result of each file, in order.

    A notebook gives a result for each of its cells with a finding or a fix, whose number is ``result.cell``. With `fix`
    the fixed files are written; `keep_eager` lets classes that no fix can compile stay
    eager. `verify` runs the project's code in a sandbox and takes back the fixes that running
    refutes. `possible` is the option of that name; None leaves it to the project's settings. With `cache` earlier
    results in ``.hybridlint_cache`` are used and kept. Findings that the project's baseline holds are left out.

    Raises `hybridlint.core.errors.UsageError` for a path that does not exist and for faulty settings.
    """
    session = _session(possible, cache=cache)
    results = (
        _pipeline(session, PipelineSteps(fix=fix, unsafe=unsafe_fixes, keep_eager=keep_eager, prove=verify))
        .of_files(session.files(map(Path, paths)))
        .results
    )
    return tuple(place_results(results))


def check_source(
    source: str | bytes,
    filename: str | PathLike[str] = "module.py",
    *,
    fix: bool = False,
    unsafe_fixes: bool = False,
    keep_eager: bool = False,
    verify: bool = False,
    possible: bool | None = None,
) -> Result:
    """Check text as the content of the file `filename`, as ``hybridlint check -`` does, and return its result.

    Nothing is written: with `fix` the result has the fixed text in ``result.fixed.after``. The settings are those of
    the folder of `filename`. In the text of a notebook the places of a finding refer to its cell, ``finding.cell``.
    Raises `hybridlint.core.errors.UsageError` for faulty settings.
    """
    data = encode_text(source) if isinstance(source, str) else source
    steps = PipelineSteps(fix=fix, unsafe=unsafe_fixes, keep_eager=keep_eager, prove=verify)
    pipeline = _pipeline(_session(possible, cache=False), steps)
    [result] = pipeline.of_text(Path(filename), data).results
    return merge_result(result)


def _session(possible: bool | None, *, cache: bool) -> CheckSession:
    return CheckSession(lambda config: config.overridden(possible=possible), use_cache=cache)


def _pipeline(session: CheckSession, steps: PipelineSteps) -> Pipeline:
    return Pipeline(session, replace(steps, new=True))
