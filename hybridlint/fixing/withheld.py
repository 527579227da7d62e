"""Withholds fixes that would turn an error into a silent difference, and fixes that achieve nothing.

If a silent difference remains, the last fix of an error is withheld: without it, the hybridized code raises; with it,
the code would run and return another result than eagerly. If code computes with the numbers in its tensors, and no fix
changes that, no graph can be made of it: fixes of its other errors would have no effect. The same is true for a fix
that makes a class compile while another fix keeps it eager, and for a fix that serves a whole block in which an error
or a difference remains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from hybridlint.core.diagnostic import is_permitted
from hybridlint.fixing.blocks import OF_FILES, blocks_in, left_to_raise, serves_block
from hybridlint.fixing.finding_kinds import row_of
from hybridlint.fixing.statement_rows import in_one_statement
from hybridlint.rule import Severity, find_rule
from hybridlint.text.definitions import definition_at, having, starting
from hybridlint.text.definitions import groups as groups_of
from hybridlint.text.kept_eager import made_eager

if TYPE_CHECKING:
    from hybridlint.core.applied_fixes import Applied, FixId
    from hybridlint.rule import Finding
    from hybridlint.text.source import SourceFile

#: Why a repair is held back.
REASON = "without it hybridized code would run, and silently differ by what is left here"

LOST = "the statement raises all the same: nothing is known that would repair what is left in it"

IN_VAIN = "the code needs the numbers in its tensors, which no fix changes: it could not be compiled either"

UNFINISHED = "its block would not compile all the same, which is all that this change is for"

STAYS_EAGER = "its code could not be compiled: it would have to be kept eager all the same"

_TOLD = frozenset({Severity.ERROR, Severity.WARNING})


def held_back(
    before: SourceFile, after: SourceFile, findings: Iterable[Finding], applied: Sequence[Applied]
) -> FixId | None:
    """Return the last repair of what raises in code where only silent differences are left; None if there is none.

    `findings` are those of the text `after` the fixes. Definitions that name each other are judged as one.
    """
    left = [finding for finding in findings if finding.severity in _TOLD]
    if not any(finding.rule.silent for finding in left):
        return None
    groups = groups_of(before.tree)
    only_silent = _only_silent(left, lambda finding: groups.get(definition_at(after.tree, row_of(finding, after))))
    repaired = [fix for fix in applied if not _is_silent(fix.code)]
    found = (fix for fix in reversed(repaired) if groups.get(definition_at(before.tree, fix.row)) in only_silent)
    return next((fix.id for fix in found), None)


def in_vain(
    before: SourceFile, after: SourceFile, findings: Iterable[Finding], applied: Sequence[Applied]
) -> set[FixId]:
    """Return the fixes of errors in code that cannot become a graph even with other fixes.

    `findings` are the findings of the text `after` the fixes. Definitions that name each other are judged as one, but
    not definitions that only code outside of any graph connects: a ``forward`` compiles each of its children by itself,
    and a function such as ``main`` makes unrelated blocks.
    """
    left = [finding for finding in findings if _needs_numbers(finding)]
    if not left or not applied:
        return set()
    groups = groups_of(before.tree, starting(before.tree) | having(before.tree, "forward"))
    lost = {groups.get(definition_at(after.tree, row_of(finding, after))) for finding in left}
    repaired = (fix for fix in applied if not _is_silent(fix.code))
    return {fix.id for fix in repaired if groups.get(definition_at(before.tree, fix.row)) in lost}


def in_lost_statements(
    before: SourceFile, left: Iterable[tuple[Finding, int]], applied: Sequence[Applied]
) -> set[FixId]:
    """Return the fixes of errors in statements that still raise because of an error without a fix.

    `left` has the findings after all fixes, each with its row in the text `before` them.
    """
    rows = {row for finding, row in left if _raises(finding) and _has_no_fix(finding)}
    repaired = (
        [fix for fix in applied if not _is_silent(fix.code) and not fix.code.startswith(OF_FILES)] if rows else []
    )
    return {fix.id for fix in repaired if any(in_one_statement(before.tree, fix.row, row) for row in rows)}


def may_be_lost(source: SourceFile, findings: Iterable[Finding]) -> bool:
    """Whether fixing may leave out repairs in statements that raise all the same, judged by the findings before it."""
    loud = [finding for finding in findings if _raises(finding)]
    lacking = {row_of(finding, source) for finding in loud if _has_no_fix(finding)}
    repaired = (row_of(finding, source) for finding in loud if not _has_no_fix(finding)) if lacking else ()
    return any(in_one_statement(source.tree, row, other) for row in repaired for other in lacking)


def _raises(finding: Finding) -> bool:
    """Return whether the code of a finding raises; False for findings about files and comments."""
    return finding.severity is Severity.ERROR and not finding.rule.silent and not finding.rule.code.startswith(OF_FILES)


def compiled_in_vain(before: SourceFile, after: SourceFile, applied: Sequence[Applied]) -> set[FixId]:
    """Return the fixes that had classes compiled which other fixes then kept eager."""
    compiling = [fix for fix in applied if fix.compiles]
    kept = {name for name, _ in made_eager(before.tree, after.tree)} if compiling else set()
    return {fix.id for fix in compiling if fix.block in kept}


def unfinished_fixes(
    before: SourceFile, after: SourceFile, findings: Iterable[Finding], applied: Sequence[Applied]
) -> set[FixId]:
    """Return the fixes that serve a whole block, if every block that runs the code remains unfinished.

    `findings` are the findings of the text `after` the fixes. A fix of a possible finding serves its block only if no
    such finding is left either, and one of code that other settings run only if that raises nothing else.
    """
    findings = list(findings)
    first, now = blocks_in(before.tree), blocks_in(after.tree)
    certain, doubtful = (left_to_raise(after, findings, doubts=doubts).keys() for doubts in (False, True))
    unusual = certain | left_to_raise(after, findings, unusual=True).keys()
    partial: set[FixId] = set()
    for fix in applied:
        name = first.definition_at(fix.row)
        blocks = [block for block in list(first.running(name)) or [name] if block in now.traced]
        left = doubtful if fix.possible else unusual if fix.unusual else certain
        if fix.for_block and not fix.id.eager and blocks and all(now.with_children(block) & left for block in blocks):
            partial.add(fix.id)
    return partial


def may_be_unfinished(source: SourceFile, findings: Iterable[Finding], *, unsafe: bool) -> bool:
    """Whether fixing may leave a block unfinished and undo what serves it, judged by the findings before it."""
    found = list(findings)
    left = [f for f in found if f.fix is None or not is_permitted(f.fix, unsafe=unsafe)]
    repaired = (f for f in found if f.fix is not None and is_permitted(f.fix, unsafe=unsafe))
    return bool(left_to_raise(source, left)) and any(serves_block(finding, source) for finding in repaired)


def may_be_in_vain(findings: Iterable[Finding]) -> bool:
    """Whether fixing may hold repairs back because code needs numbers, judged by the findings before it."""
    found = list(findings)
    applied = any(f.fix is not None and is_permitted(f.fix, unsafe=True) for f in found)
    return applied and any(map(_needs_numbers, found))


def _needs_numbers(finding: Finding) -> bool:
    """Whether a finding is an error that needs values, and no fix, an unsafe one included, repairs it."""
    return finding.severity is Severity.ERROR and finding.rule.needs_values and _has_no_fix(finding)


def _has_no_fix(finding: Finding) -> bool:
    """Whether no fix repairs a finding, an unsafe one included."""
    ways = (way.fix for way in finding.ways())
    return not any(fix is not None and is_permitted(fix, unsafe=True) for fix in ways)


def may_be_held(source: SourceFile, findings: Iterable[Finding], *, unsafe: bool) -> bool:
    """Whether fixing may hold a repair back, judged by the findings before it."""
    found = [finding for finding in findings if finding.severity in _TOLD]
    repairs = [f for f in found if f.fix is not None and is_permitted(f.fix, unsafe=unsafe)]
    loud = [finding for finding in repairs if not finding.rule.silent]
    repaired = {id(finding) for finding in repairs}
    left = [finding for finding in found if id(finding) not in repaired]
    if not loud or not any(finding.rule.silent for finding in left):
        return False
    groups = groups_of(source.tree)
    group = {id(f): groups.get(definition_at(source.tree, row_of(f, source))) for f in found}
    only_silent = _only_silent(left, lambda finding: group[id(finding)])
    return any(group[id(finding)] in only_silent for finding in loud)


def _only_silent(left: Iterable[Finding], group: Callable[[Finding], int | None]) -> set[int | None]:
    """Return the groups of definitions in which all findings that are left are of silent differences."""
    silent: set[int | None] = set()
    loud: set[int | None] = set()
    for finding in left:
        (silent if finding.rule.silent else loud).add(group(finding))
    return silent - loud


def _is_silent(code: str) -> bool:
    rule = find_rule(code)
    return rule is not None and rule.silent
