"""Decision of possible findings by proofs: a proved block drops its findings, a refuted one makes them certain.

A proof drops only the findings that it covers: it must have no restrictions, and it must have executed their lines.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.rule import Severity, all_rules
from hybridlint.runtime.facts.records import replace
from hybridlint.text.source import SourceError, SourceFile

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.core.result import Result


def doubtful(result: Result) -> set[str]:
    """Return the qualified names of the classes that have findings of severity "possible" in a result."""
    rows = [d.location.row for d in result.diagnostics if d.severity == Severity.POSSIBLE.value]
    blocks = _blocks(result) if rows else []
    return {name for row in rows if (name := _block_at(blocks, row)) is not None}


def resolve_possible(result: Result, outcomes: Sequence[ProofOutcome]) -> Result:
    """Return the result without the possible findings that a proof excludes; those that it confirms get full severity.

    `outcomes` are for exactly the text of the result.
    """
    # Of several outcomes the first is about the block as it is; the others are about its fixed version.
    known = {o.block: o for o in reversed(outcomes) if o.taken_back is None}
    if not known or not doubtful(result):
        return result
    blocks = _blocks(result)
    diagnostics = tuple(d for diagnostic in result.diagnostics for d in _after_proof(diagnostic, blocks, known))
    return replace(result, diagnostics=diagnostics)


def _after_proof(
    diagnostic: Diagnostic, blocks: Sequence[tuple[int, int, str]], known: Mapping[str, ProofOutcome]
) -> Iterator[Diagnostic]:
    name = _block_at(blocks, diagnostic.location.row)
    outcome = known.get(name or "")
    if diagnostic.severity != Severity.POSSIBLE.value or outcome is None or outcome.status is ProofStatus.NOT_RUN:
        yield diagnostic
    elif outcome.status is ProofStatus.REFUTED:
        shown = not outcome.guessed and _shown(diagnostic, outcome)
        yield _certain(diagnostic, outcome) if shown else diagnostic
    elif outcome.only or not _ran(diagnostic, outcome):
        yield diagnostic


def _ran(diagnostic: Diagnostic, outcome: ProofOutcome) -> bool:
    """Whether a proof executed the lines of a finding."""
    return any(diagnostic.location.row <= row <= diagnostic.end_location.row for row in outcome.rows)


def _shown(diagnostic: Diagnostic, outcome: ProofOutcome) -> bool:
    """Whether the runs of a refuted block differ on the lines of a finding, or at an unknown place."""
    rows = {outcome.failed_row, None if outcome.parting is None else outcome.parting.row} - {None}
    return not rows or any(diagnostic.location.row <= row <= diagnostic.end_location.row for row in rows if row)


def _certain(diagnostic: Diagnostic, outcome: ProofOutcome) -> Diagnostic:
    message = f"{diagnostic.message}; running {outcome.block} shows it: {outcome.reason}"
    return replace(diagnostic, severity=_severities()[diagnostic.code], message=message)


@cache
def _severities() -> Mapping[str, str]:
    return {rule.code: rule.severity.value for rule in all_rules()}


def fixable_unsafely(result: Result) -> set[str]:
    """Return the qualified names of the classes with findings that only `--unsafe-fixes` would fix."""
    rows = [diagnostic.location.row for diagnostic in result.diagnostics if diagnostic.hidden_fix]
    blocks = _blocks(result) if rows else []
    return {name for row in rows if (name := _block_at(blocks, row)) is not None}


def _blocks(result: Result) -> list[tuple[int, int, str]]:
    """Return (first row, last row, qualified name) of each class in a result's text; empty if it does not parse."""
    try:
        return list(_classes(SourceFile(result.path, result.text).tree, ""))
    except SourceError:
        return []


def _classes(node: ast.AST, prefix: str) -> Iterator[tuple[int, int, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            name = f"{prefix}{child.name}"
            yield child.lineno, child.end_lineno or child.lineno, name
            yield from _classes(child, f"{name}.")
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _classes(child, prefix)


def _block_at(blocks: Sequence[tuple[int, int, str]], row: int) -> str | None:
    around = [(first, name) for first, last, name in blocks if first <= row <= last]
    return max(around)[1] if around else None
