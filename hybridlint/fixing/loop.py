"""The fix loop: analyze, apply all fixes that do not overlap, and repeat until nothing changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from hybridlint.core.applied_fixes import Applied, BlockState, Dropped, FixId, Pass, Refused
from hybridlint.fixing.blocks import block_states
from hybridlint.fixing.edit_checks import apply_to_file, objection, sound, sound_edits
from hybridlint.fixing.finding_kinds import Kind, block_of, kind_of, row_of
from hybridlint.fixing.findings_request import Asking, FindingsRequest, run_with_findings
from hybridlint.fixing.fix_priority import choose, cost, fixes_of, is_fixable, keeps_eager, may_stay_compiled
from hybridlint.fixing.position_map import PositionMap
from hybridlint.fixing.state import FixState, applied_fix, as_left, drop, repaired_findings, still_dropped
from hybridlint.fixing.statement_rows import in_one_statement
from hybridlint.fixing.tidy import TIDYING
from hybridlint.fixing.withheld import (
    IN_VAIN,
    LOST,
    REASON,
    STAYS_EAGER,
    UNFINISHED,
    compiled_in_vain,
    held_back,
    in_lost_statements,
    in_vain,
    unfinished_fixes,
)
from hybridlint.rule import Finding, Severity
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.definitions import definition_at, groups
from hybridlint.text.edits import Edit, FixKind, apply_edits
from hybridlint.text.imports import with_imports
from hybridlint.text.source import SourceFile

#: Passes before the loop gives up. Each pass resolves at least one finding; most files need two.
MAX_PASSES = 50

#: Most tentative fixes in a row before one must lead to a repair.
MAX_STEPS = 3

#: Passes in which fixing a finding may leave as many findings of its kind as before.
MAX_VAIN_PASSES = 5


@record(frozen=True, slots=True)
class FixOutcome:
    """The fixed text, its remaining findings, and the applied fixes in order of application.

    `repaired` holds the initial findings with a permitted fix that are gone, by their own fixes or others, and
    `kept_eager` those that are gone because a class stays eager. `passes` has the edits that were applied, except
    those that tidy up at the end. `initial` counts the findings before any fix.
    """

    source: SourceFile
    findings: tuple[Finding, ...]
    repaired: tuple[Finding, ...] = ()
    applied: tuple[Applied, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    passes: tuple[Pass, ...] = ()
    initial: int = 0
    kept_eager: tuple[Finding, ...] = ()
    #: The blocks that had findings, with what is left in each; nothing if no fix was applied.
    blocks: tuple[BlockState, ...] = ()


Analyze = Callable[[SourceFile], Sequence[Finding]]


def fix_source(
    source: SourceFile,
    analyze: Analyze,
    *,
    unsafe: bool,
    refused: Refused | None = None,
    doubts: Analyze | None = None,
    tidy: bool = True,
    keep_eager: bool = False,
) -> FixOutcome:
    """Apply permitted fixes until nothing changes, as `fixing` does. `analyze` returns the findings of a text.

    `doubts` also returns possible findings; without it these are not fixed.
    """

    def answer(asked: FindingsRequest) -> Sequence[Finding]:
        return doubts(asked.source) if doubts is not None and asked.possible else analyze(asked.source)

    work = fixing(source, unsafe=unsafe, refused=refused, doubts=doubts is not None, tidy=tidy, keep_eager=keep_eager)
    return run_with_findings(work, answer)


def fixing(
    source: SourceFile,
    *,
    unsafe: bool,
    refused: Refused | None = None,
    doubts: bool = True,
    tidy: bool = True,
    without: frozenset[str] = frozenset(),
    keep_eager: bool = False,
) -> Asking[FixOutcome]:
    """Apply permitted fixes until nothing changes. The findings it asks for are those that are not suppressed.

    The module's definitions called `without` are left as they are; no other names them. `tidy` removes imports that
    have become unused, and wraps long lines.

    With `doubts`, possible findings are fixed too in classes where fixes have removed all other findings, so that the
    fixed class works hybridized.

    A fix is left out and reported if the file would then not parse, could not be encoded, or would lose a comment.
    The same holds for fixes in `refused`, fixes that repair nothing however often they are applied, and tentative
    fixes after which no other fix applies. So is the last repair of what raises, if something that silently differs is
    left in the same code, what else raises in code that needs the numbers in its tensors, a fix that has a class
    compiled which would have to be kept eager then, and one that serves only the repair of a block which is not whole.

    With `keep_eager`, a class that no fix can compile, unsafe ones included, stays eager.
    """
    found = tuple((yield FindingsRequest(source, without=without)))
    vain: frozenset[Kind] = frozenset()
    refused = dict(refused or {})
    while True:
        loop = _Loop(unsafe, refused, doubts, vain, without, keep_eager=keep_eager)
        try:
            state = yield from loop.run(FixState(source, found, PositionMap(source)))
        except _VainError as error:
            vain |= {error.kind}
            continue
        eager = compiled_in_vain(source, state.source, state.applied) - refused.keys()
        if eager:
            refused |= dict.fromkeys(eager, STAYS_EAGER)
            continue
        tried = [as_left(finding, state) for finding in state.findings]
        useless = in_vain(source, state.source, tried, state.applied) - refused.keys()
        held = held_back(source, state.source, state.findings, state.applied)
        rows = ((finding, state.row_before(finding)) for finding in state.findings)
        lost = in_lost_statements(source, rows, state.applied) - refused.keys() - useless
        if useless or lost or (held is not None and held not in refused):
            vainly = dict.fromkeys(lost, LOST) | dict.fromkeys(useless, IN_VAIN)
            refused |= vainly if vainly or held is None else {held: REASON}
            continue
        left = yield from loop.everything_left(state)
        partial = unfinished_fixes(source, state.source, left, state.applied) - refused.keys()
        if not partial:
            break
        refused |= dict.fromkeys(partial, UNFINISHED)
    passes = state.trail.passes
    if tidy and state.applied:
        untidied, state = state.source, (yield from loop.tidied(source, state))
        if left and state.source is not untidied:
            left = yield from loop.everything_left(state)
    states = tuple(block_states(source, found, state.source, left)) if state.applied else ()
    gone = list(repaired_findings(found, source, state, unsafe=unsafe, keep_eager=keep_eager))
    repaired = tuple(finding for finding in gone if not keeps_eager(finding))
    kept = tuple(finding for finding in gone if keeps_eager(finding))
    findings = tuple(as_left(f, state) for f in state.findings)
    dropped = tuple(still_dropped(state))
    return FixOutcome(state.source, findings, repaired, state.applied, dropped, passes, len(found), kept, states)


class _VainError(Exception):
    """Every fix of one kind of finding makes new findings of that kind."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind)
        self.kind = kind


@record(frozen=True, slots=True)
class _Loop:
    """The fix loop with its options, which stay constant while a file is fixed."""

    unsafe: bool
    refused: Refused
    doubts: bool
    #: Kinds of findings that come back however often they are fixed.
    vain: frozenset[Kind]
    #: Definitions of the module whose findings are not asked for.
    without: frozenset[str]
    #: Classes in which possible findings alone are fixed; None to fix all other findings.
    freed: frozenset[str] | None = None
    #: Whether classes may be kept eager.
    keep_eager: bool = False

    def run(self, state: FixState) -> Asking[FixState]:
        """Apply all useful fixes. Raises _VainError for a kind of finding that keeps coming back."""
        begun, kept = state, list[tuple[str, Finding]]()
        state = yield from self.settle(state)
        while (found := self.next_step(state)) is not None:
            after = None
            if not keeps_eager(found) or (yield from self.has_to_stay_eager(state, found)):
                after = yield from self.attempt(state, found, len(state.findings))
            if after is None:
                state.useless.add(state.id_of(found))
                continue
            if keeps_eager(found):
                kept.append((block_of(found, state.source), found))
            state = after
        state = yield from self.without_doubts(state)
        return (yield from self.eager_from_the_start(begun, kept, state)) if kept else state

    def eager_from_the_start(
        self, begun: FixState, kept: Sequence[tuple[str, Finding]], after: FixState
    ) -> Asking[FixState]:
        """Return the state in which classes are `kept` eager and nothing else is done to their code.

        What other fixes made of that code was for its graph; eagerly it runs as it was written. Where that is not
        possible, or leaves more than the state `after` does, that state is returned.
        """
        state = begun.copy()
        for block, finding in kept:
            ways = [way for each in state.findings for way in each.ways() if keeps_eager(way) and self.permits(way)]
            same = [way for way in ways if block_of(way, state.source) == block]
            same.sort(key=lambda way: way.message != finding.message)
            if not same or objection(state.source, same[:1]) is not None:
                return after
            state = yield from self._after(state, same[:1], with_imports(state.source, fixes_of(same[:1])))
        state = yield from replace(self, keep_eager=False).run(state)
        return state if len(state.findings) <= len(after.findings) else after

    def has_to_stay_eager(self, state: FixState, finding: Finding) -> Asking[bool]:
        """Return whether no fixes, unsafe ones included, repair the class of a finding and keep it compiled.

        Who asks for safe fixes alone is not given less than that.
        """
        if self.unsafe or not may_stay_compiled(state.findings):
            return True
        after = yield from replace(self, unsafe=True, keep_eager=False, doubts=False).run(
            replace(state.copy(), useless=set())
        )
        left = {block_of(f, after.source) for f in after.findings if f.severity is not Severity.INFO}
        return block_of(finding, state.source) in left

    def findings(self, source: SourceFile) -> Asking[tuple[Finding, ...]]:
        """Return the findings of a text that are to be fixed."""
        freed = self.freed
        if freed is None:
            return tuple((yield FindingsRequest(source, without=self.without)))
        found = yield FindingsRequest(source, possible=True, without=self.without)
        return tuple(f for f in found if f.severity is Severity.POSSIBLE and block_of(f, source) in freed)

    def everything_left(self, state: FixState) -> Asking[Sequence[Finding]]:
        """Return the findings of a text that fixes have changed, possible ones included."""
        if not self.doubts or not state.applied:
            return state.findings
        return (yield FindingsRequest(state.source, possible=True, without=self.without))

    def settle(self, state: FixState) -> Asking[FixState]:
        """Apply fixes, except tentative ones, until nothing changes."""
        seen = {state.source.text}
        in_vain: Counter[Kind] = Counter()
        objected: list[FixId] = []
        for _ in range(MAX_PASSES):
            chosen = choose([f for f in self._candidates(state) if f.fix is not None and not f.fix.kind.is_tentative])
            good, objections = sound(state.source, chosen)
            state.dropped.update((state.id_of(f), drop(f, state, reason)) for f, reason in objections)
            objected += [state.id_of(finding) for finding, _ in objections]
            if not good:
                if chosen:
                    continue
                break
            edits = with_imports(state.source, fixes_of(good))
            text = apply_edits(state.source.text, edits)
            if text in seen:
                reason = "fixes undo each other"
                state.dropped.update({state.id_of(f): drop(f, state, reason) for f in good})
                continue
            seen.add(text)
            after = yield from self._after(state, good, edits)
            in_vain.update(_kinds(good, state.source) & _not_fewer(state, after))
            state = after
            # The fixes are others in the new text.
            for fix_id in objected:
                state.dropped.pop(fix_id, None)
            objected.clear()
            for kind, passes in in_vain.items():
                if passes > MAX_VAIN_PASSES:
                    raise _VainError(kind)
        return state

    def next_step(self, state: FixState, beside: str | None = None) -> Finding | None:
        """Return the first finding with an untried tentative fix, what operators repair first.

        With the name of a definition, only findings in it and in definitions that it and they name.
        """
        found = [f for f in self._candidates(state) if f.fix is not None and f.fix.kind.is_tentative]
        if beside is not None:
            tree, number = state.source.tree, groups(state.source.tree)
            near = {number.get(beside), None}
            found = [f for f in found if number.get(definition_at(tree, row_of(f, state.source))) in near]
        found.sort(key=cost)
        return next((f for f in found if objection(state.source, [f]) is None), None)

    def attempt(self, state: FixState, finding: Finding, most: int, depth: int = 0) -> Asking[FixState | None]:
        """Apply a tentative fix and all fixes that follow. None unless fewer than `most` findings remain.

        Steps in unrelated code do not follow: they neither help this one nor need it. What keeps a class eager follows
        on no other step: it needs none, and would leave it half done.
        """
        definition = definition_at(state.source.tree, row_of(finding, state.source))
        first = yield from self._after(state.copy(), [finding], with_imports(state.source, fixes_of([finding])))
        after = yield from self.settle(first)
        moved = finding.fix is not None and finding.fix.kind is FixKind.MOVE
        if len(after.findings) < most and not (moved and len(after.applied) == len(first.applied)):
            return after
        following = self.next_step(after, definition) if depth < MAX_STEPS else None
        if following is None or (keeps_eager(following) and not keeps_eager(finding)):
            return None
        return (yield from self.attempt(after, following, min(most, len(after.findings)), depth + 1))

    def without_doubts(self, state: FixState) -> Asking[FixState]:
        """Fix possible findings in the classes where fixes have removed all other findings.

        Who asks for safe fixes alone gets those in the statements that others have changed, which are repaired whole.
        """
        if not self.doubts or not state.applied:
            return state
        left = {block_of(f, state.source) for f in state.findings if f.severity is not Severity.INFO}
        loop = replace(self, freed=frozenset({fix.block for fix in state.applied} - left))
        doubted = yield from loop.findings(state.source)
        if not doubted:
            return state
        after = yield from loop.settle(replace(state.copy(), findings=doubted))
        return replace(after, findings=(yield from self.findings(after.source)))

    def tidied(self, source: SourceFile, state: FixState) -> Asking[FixState]:
        """Remove imports that the fixes made unused, and break lines that they made too long."""
        text, trail = state.source, state.trail
        for tidy in TIDYING:
            edits = sound_edits(tidy, source, text)
            if edits:
                text, trail = apply_to_file(text, edits), trail.after(edits, {})
        if text is state.source:
            return state
        # A text without findings has none after tidying either.
        findings = (yield from self.findings(text)) if state.findings else ()
        return replace(state, source=text, findings=findings, trail=trail)

    def _candidates(self, state: FixState) -> list[Finding]:
        """Return the findings whose fixes may be applied, recording the refused fixes."""
        ways = [[way for way in f.ways() if self.permits(way)] for f in state.findings if self.concerns(f, state)]
        for finding, reason in self._refused((way for each in ways for way in each), state):
            state.dropped.setdefault(state.id_of(finding), drop(finding, state, reason))
        left_out = state.dropped.keys() | state.useless
        found = (next((way for way in each if state.id_of(way) not in left_out), None) for each in ways)
        return [finding for finding in found if finding is not None]

    def concerns(self, finding: Finding, state: FixState) -> bool:
        """Return whether a finding is to be fixed; by safe fixes alone, a possible one is only beside another fix."""
        if self.freed is None or self.unsafe:
            return True
        tree, row = state.trail.first.tree, state.row_before(finding)
        return any(in_one_statement(tree, row, fix.row) for fix in state.applied if not fix.possible)

    def permits(self, way: Finding) -> bool:
        """Return whether a fix of a finding may be applied."""
        return is_fixable(way, unsafe=self.unsafe, keep_eager=self.keep_eager)

    def _refused(self, findings: Iterable[Finding], state: FixState) -> Iterator[tuple[Finding, str]]:
        for finding in findings:
            reason = self.refused.get(state.id_of(finding)) if self.refused else None
            if reason is not None:
                yield finding, reason
            elif self.vain and kind_of(finding, state.source) in self.vain:
                yield finding, "it would come back however often it is fixed"

    def _after(self, state: FixState, fixed: Sequence[Finding], edits: Sequence[Edit]) -> Asking[FixState]:
        source = apply_to_file(state.source, edits)
        done = [(applied_fix(finding, state, possible=self.freed is not None), finding.fix) for finding in fixed]
        owners = {edit: each.id for each, fix in done if fix is not None for edit in fix.edits}
        trail = state.trail.after(edits, owners)
        findings = yield from self.findings(source)
        return FixState(
            source, findings, trail, (*state.applied, *(each for each, _ in done)), state.dropped, state.useless
        )


def _kinds(findings: Iterable[Finding], source: SourceFile) -> set[Kind]:
    return {kind_of(finding, source) for finding in findings}


def _not_fewer(before: FixState, after: FixState) -> set[Kind]:
    """Return the kinds of findings that a pass did not make fewer."""
    then, now = (Counter(kind_of(f, state.source) for f in state.findings) for state in (before, after))
    return {kind for kind, number in now.items() if number >= then[kind]}
