"""The fix loop: analyze, apply all fixes that do not overlap, and repeat until nothing changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field

from hybridlint.fixing.applied import Applied, Dropped, FixId, Pass, Refused
from hybridlint.fixing.asking import Asked, Asking, answered
from hybridlint.fixing.beside import in_one_statement
from hybridlint.fixing.holding import IN_VAIN, REASON, STAYS_EAGER, compiled_in_vain, held_back, in_vain
from hybridlint.fixing.kinds import Kind, block_of, kind_of, row_of
from hybridlint.fixing.tidy import TIDYING, Tidy
from hybridlint.fixing.trail import Trail
from hybridlint.fixing.ways import choose, cost, fixes_of, is_eager, is_fixable, may_stay_compiled
from hybridlint.rule import Finding, Severity
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.comments import lost_comment
from hybridlint.text.edits import Edit, apply_edits
from hybridlint.text.imports import with_imports
from hybridlint.text.source import SourceError, SourceFile, with_text

#: Passes before the loop gives up. Each pass resolves at least one finding; most files need two.
MAX_PASSES = 50

#: Most tentative fixes in a row before one must lead to a repair.
MAX_STEPS = 3

#: Passes in which fixing a finding may leave as many findings of its kind as before.
MAX_VAIN_PASSES = 5


@record(frozen=True, slots=True)
class FixOutcome:
    """The fixed text, its remaining findings, and the applied fixes in order of application.

    `repaired` holds the initial findings with a permitted fix that are gone, by their own fixes or others, and `passes`
    the edits that were applied, but for those that tidy up at the end. `initial` counts the findings before any fix.
    """

    source: SourceFile
    findings: tuple[Finding, ...]
    repaired: tuple[Finding, ...] = ()
    applied: tuple[Applied, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    passes: tuple[Pass, ...] = ()
    initial: int = 0


Analyze = Callable[[SourceFile], Sequence[Finding]]


def fix_source(
    source: SourceFile,
    analyze: Analyze,
    *,
    unsafe: bool,
    refused: Refused | None = None,
    doubts: Analyze | None = None,
    tidy: bool = True,
) -> FixOutcome:
    """Apply permitted fixes until nothing changes, as `fixing` does. `analyze` returns the findings of a text.

    `doubts` also returns possible findings; without it these are not fixed.
    """

    def answer(asked: Asked) -> Sequence[Finding]:
        return doubts(asked.source) if doubts is not None and asked.possible else analyze(asked.source)

    return answered(fixing(source, unsafe=unsafe, refused=refused, doubts=doubts is not None, tidy=tidy), answer)


def fixing(
    source: SourceFile,
    *,
    unsafe: bool,
    refused: Refused | None = None,
    doubts: bool = True,
    tidy: bool = True,
    without: frozenset[str] = frozenset(),
) -> Asking[FixOutcome]:
    """Apply permitted fixes until nothing changes. The findings it asks for are those that are not suppressed.

    The module's definitions called `without` are left as they are; no other names them. `tidy` removes imports that
    have become unused, and wraps long lines.

    With `doubts`, possible findings are fixed too in classes where fixes have removed all other findings, so that the
    fixed class works hybridized.

    A fix is left out and reported if the file would then not parse, could not be encoded, or would lose a comment.
    The same holds for fixes in `refused`, fixes that repair nothing however often they are applied, and tentative
    fixes after which no other fix applies. So is the last repair of what raises, if something that silently differs is
    left in the same code, and one that has a class compiled which would have to be kept eager then.
    """
    found = tuple((yield Asked(source, without=without)))
    vain: frozenset[Kind] = frozenset()
    refused = dict(refused or {})
    while True:
        loop = _Loop(unsafe, refused, doubts, vain, without)
        try:
            state = yield from loop.run(_State(source, found, Trail(source)))
        except _VainError as error:
            vain |= {error.kind}
            continue
        eager = compiled_in_vain(source, state.source, state.applied) - refused.keys()
        if eager:
            refused |= dict.fromkeys(eager, STAYS_EAGER)
            continue
        useless = set() if unsafe else in_vain(source, state.source, state.findings, state.applied) - refused.keys()
        held = held_back(source, state.source, state.findings, state.applied)
        if not useless and (held is None or held in refused):
            break
        refused |= dict.fromkeys(useless, IN_VAIN) if useless or held is None else {held: REASON}
    passes = state.trail.passes
    if tidy and state.applied:
        state = yield from loop.tidied(source, state)
    repaired = tuple(_repaired(found, source, state, unsafe=unsafe))
    findings = tuple(_left(f, state) for f in state.findings)
    return FixOutcome(state.source, findings, repaired, state.applied, tuple(_dropped(state)), passes, len(found))


class _VainError(Exception):
    """A kind of finding comes back after every fix."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind)
        self.kind = kind


@record(slots=True)
class _State:
    """The state of the fix loop: the text, its findings, the passes that led to it, and the fixes applied so far."""

    source: SourceFile
    findings: tuple[Finding, ...]
    trail: Trail
    applied: tuple[Applied, ...] = ()
    dropped: dict[FixId, Dropped] = field(default_factory=dict)
    #: Tentative fixes after which no other fix applied.
    useless: set[FixId] = field(default_factory=set)

    def id_of(self, finding: Finding) -> FixId:
        """Return the identity of a finding's fix."""
        return self.trail.id_of(finding, self.source)

    def row_before(self, finding: Finding) -> int:
        """Return the row in the original text that corresponds to a finding's current row."""
        return self.trail.row_before(finding, self.source)

    def copy(self) -> _State:
        """Return an independent copy, for trying another sequence of fixes."""
        return replace(self, dropped=dict(self.dropped), useless=set(self.useless))


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
    eager: bool = True

    def run(self, state: _State) -> Asking[_State]:
        """Apply all useful fixes. Raises _VainError for a kind of finding that keeps coming back."""
        begun, kept = state, list[tuple[str, Finding]]()
        state = yield from self.settle(state)
        while (found := self.next_step(state)) is not None:
            after = None
            if not is_eager(found) or (yield from self.has_to_stay_eager(state, found)):
                after = yield from self.attempt(state, found, len(state.findings))
            if after is None:
                state.useless.add(state.id_of(found))
                continue
            if is_eager(found):
                kept.append((block_of(found, state.source), found))
            state = after
        state = yield from self.without_doubts(state)
        return (yield from self.eager_from_the_start(begun, kept, state)) if kept else state

    def eager_from_the_start(self, begun: _State, kept: Sequence[tuple[str, Finding]], after: _State) -> Asking[_State]:
        """Return the state in which classes are `kept` eager and nothing else is done to their code.

        What other fixes made of that code was for its graph; eagerly it runs as it was written. Where that is not
        possible, or leaves more than the state `after` does, that state is returned.
        """
        state = begun.copy()
        for block, finding in kept:
            ways = [way for each in state.findings for way in each.ways() if is_eager(way) and self.permits(way)]
            same = [way for way in ways if block_of(way, state.source) == block]
            same.sort(key=lambda way: way.message != finding.message)
            if not same or _objection(state.source, same[:1]) is not None:
                return after
            state = yield from self._after(state, same[:1], with_imports(state.source, fixes_of(same[:1])))
        state = yield from replace(self, eager=False).run(state)
        return state if len(state.findings) <= len(after.findings) else after

    def has_to_stay_eager(self, state: _State, finding: Finding) -> Asking[bool]:
        """Return whether no fixes, unsafe ones included, repair the class of a finding and keep it compiled.

        Who asks for safe fixes alone is not given less than that.
        """
        if self.unsafe or not may_stay_compiled(state.findings):
            return True
        after = yield from replace(self, unsafe=True, eager=False, doubts=False).run(
            replace(state.copy(), useless=set())
        )
        left = {block_of(f, after.source) for f in after.findings if f.severity is not Severity.INFO}
        return block_of(finding, state.source) in left

    def findings(self, source: SourceFile) -> Asking[tuple[Finding, ...]]:
        """Return the findings of a text that are to be fixed."""
        freed = self.freed
        if freed is None:
            return tuple((yield Asked(source, without=self.without)))
        found = yield Asked(source, possible=True, without=self.without)
        return tuple(f for f in found if f.severity is Severity.POSSIBLE and block_of(f, source) in freed)

    def settle(self, state: _State) -> Asking[_State]:
        """Apply fixes, except tentative ones, until nothing changes."""
        seen = {state.source.text}
        in_vain: Counter[Kind] = Counter()
        for _ in range(MAX_PASSES):
            chosen = choose([f for f in self._candidates(state) if f.fix is not None and not f.fix.tentative])
            good, objections = _sound(state.source, chosen)
            state.dropped.update((state.id_of(f), _drop(f, state, reason)) for f, reason in objections)
            if not good:
                if chosen:
                    continue
                break
            edits = with_imports(state.source, fixes_of(good))
            text = apply_edits(state.source.text, edits)
            if text in seen:
                reason = "fixes undo each other"
                state.dropped.update({state.id_of(f): _drop(f, state, reason) for f in good})
                continue
            seen.add(text)
            after = yield from self._after(state, good, edits)
            in_vain.update(_kinds(good, state.source) & _not_fewer(state, after))
            state = after
            for kind, passes in in_vain.items():
                if passes > MAX_VAIN_PASSES:
                    raise _VainError(kind)
        return state

    def next_step(self, state: _State) -> Finding | None:
        """Return the first finding with an untried tentative fix, what operators repair first."""
        found = [f for f in self._candidates(state) if f.fix is not None and f.fix.tentative]
        found.sort(key=cost)
        return next((f for f in found if _objection(state.source, [f]) is None), None)

    def attempt(self, state: _State, finding: Finding, most: int, depth: int = 0) -> Asking[_State | None]:
        """Apply a tentative fix and all fixes that follow. None unless fewer than `most` findings remain.

        What keeps a class eager follows on no other step: it needs none, and would leave it half done.
        """
        first = yield from self._after(state.copy(), [finding], with_imports(state.source, fixes_of([finding])))
        after = yield from self.settle(first)
        if len(after.findings) < most:
            return after
        following = self.next_step(after) if depth < MAX_STEPS else None
        if following is None or (is_eager(following) and not is_eager(finding)):
            return None
        return (yield from self.attempt(after, following, most, depth + 1))

    def without_doubts(self, state: _State) -> Asking[_State]:
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

    def tidied(self, source: SourceFile, state: _State) -> Asking[_State]:
        """Remove imports that the fixes made unused, and break lines that they made too long."""
        text, trail = state.source, state.trail
        for tidy in TIDYING:
            edits = _sound_edits(tidy, source, text)
            if edits:
                text, trail = _edited(text, edits), trail.after(edits, {})
        if text is state.source:
            return state
        # A text without findings has none after tidying either.
        findings = (yield from self.findings(text)) if state.findings else ()
        return replace(state, source=text, findings=findings, trail=trail)

    def _candidates(self, state: _State) -> list[Finding]:
        """Return the findings whose fixes may be applied, recording those that are refused."""
        ways = [[way for way in f.ways() if self.permits(way)] for f in state.findings if self.concerns(f, state)]
        for finding, reason in self._refused((way for each in ways for way in each), state):
            state.dropped.setdefault(state.id_of(finding), _drop(finding, state, reason))
        left_out = state.dropped.keys() | state.useless
        found = (next((way for way in each if state.id_of(way) not in left_out), None) for each in ways)
        return [finding for finding in found if finding is not None]

    def concerns(self, finding: Finding, state: _State) -> bool:
        """Return whether a finding is to be fixed; by safe fixes alone, a possible one is only beside another fix."""
        if self.freed is None or self.unsafe:
            return True
        tree, row = state.trail.first.tree, state.row_before(finding)
        return any(in_one_statement(tree, row, fix.row) for fix in state.applied if not fix.possible)

    def permits(self, way: Finding) -> bool:
        """Return whether a fix of a finding may be applied."""
        return is_fixable(way, unsafe=self.unsafe) and (self.eager or not is_eager(way))

    def _refused(self, findings: Iterable[Finding], state: _State) -> Iterator[tuple[Finding, str]]:
        for finding in findings:
            reason = self.refused.get(state.id_of(finding)) if self.refused else None
            if reason is not None:
                yield finding, reason
            elif self.vain and kind_of(finding, state.source) in self.vain:
                yield finding, "it would come back however often it is fixed"

    def _after(self, state: _State, fixed: Sequence[Finding], edits: Sequence[Edit]) -> Asking[_State]:
        source = _edited(state.source, edits)
        done = [(_applied(finding, state, possible=self.freed is not None), finding.fix) for finding in fixed]
        owners = {edit: applied.id for applied, fix in done if fix is not None for edit in fix.edits}
        applied = (*state.applied, *(each for each, _ in done))
        trail = state.trail.after(edits, owners)
        findings = yield from self.findings(source)
        return _State(source, findings, trail, applied, state.dropped, state.useless)


def tidied(before: SourceFile, after: SourceFile) -> SourceFile:
    """Return a changed file without imports that are unused now, and with lines wrapped that became too long."""
    for tidy in TIDYING:
        edits = _sound_edits(tidy, before, after)
        after = _edited(after, edits) if edits else after
    return after


def _sound_edits(tidy: Tidy, before: SourceFile, after: SourceFile) -> list[Edit]:
    edits = tidy(before, after)
    return edits if edits and _objection_to(after, edits) is None else []


def dropped(findings: Iterable[Finding], source: SourceFile, reason: str, *, unsafe: bool) -> Iterator[Dropped]:
    """Yield every permitted fix as dropped, for a reason that applies to the whole file."""
    state = _State(source, tuple(findings), Trail(source))
    return (_drop(finding, state, reason) for finding in state.findings if is_fixable(finding, unsafe=unsafe))


def _sound(source: SourceFile, findings: list[Finding]) -> tuple[list[Finding], list[tuple[Finding, str]]]:
    """Return the findings whose fixes can be applied together, and the others, each with the objection to it."""
    if not findings or _objection(source, findings) is None:
        return findings, []
    good: list[Finding] = []
    objections: list[tuple[Finding, str]] = []
    for finding in findings:
        objection = _objection(source, [*good, finding])
        if objection is None:
            good.append(finding)
        else:
            objections.append((finding, objection))
    return good, objections


def _objection(source: SourceFile, findings: Sequence[Finding]) -> str | None:
    """Return the reason why these fixes cannot be applied together, or None."""
    try:
        edits = with_imports(source, fixes_of(findings))
    except SourceError as error:
        return f"an import that it needs cannot be added: {error}"
    return _objection_to(source, edits, [comment for fix in fixes_of(findings) for comment in fix.rewrites])


def _objection_to(source: SourceFile, edits: Sequence[Edit], rewritten: Iterable[str] = ()) -> str | None:
    """Return the reason why the edits cannot be applied, or None."""
    try:
        text = apply_edits(source.text, edits)
        text.encode(source.encoding)
        with_text(source, text).tree  # noqa: B018 - raises where it does not parse
    except (SourceError, ValueError):
        return "the file would no longer parse"
    lost = lost_comment(source.text, edits, rewritten)
    return None if lost is None else f"the comment `{lost}` would be lost"


def _kinds(findings: Iterable[Finding], source: SourceFile) -> set[Kind]:
    return {kind_of(finding, source) for finding in findings}


def _not_fewer(before: _State, after: _State) -> set[Kind]:
    """Return the kinds of findings of which there are no fewer after a pass than before."""
    then, now = (Counter(kind_of(f, state.source) for f in state.findings) for state in (before, after))
    return {kind for kind, number in now.items() if number >= then[kind]}


def _repaired(found: Sequence[Finding], source: SourceFile, after: _State, *, unsafe: bool) -> Iterator[Finding]:
    """Yield the fixable findings that are gone: of each kind, as many as there are fewer now.

    Those of a class that is kept eager are repaired by that, whatever other fixes they have.
    """
    fewer = Counter(kind_of(f, source) for f in found)
    fewer.subtract(kind_of(f, after.source) for f in after.findings)
    left = {after.id_of(f) for f in after.findings}
    applied = {fix.id for fix in after.applied}
    first = Trail(source)
    done = [way for finding in found for way in finding.ways() if first.id_of(way, source) in applied]
    eager = {block_of(way, source): way.fix for way in done if is_eager(way)}
    for finding in found:
        kind = kind_of(finding, source)
        ways = [way for way in finding.ways() if is_fixable(way, unsafe=unsafe)]
        if (ways or kind[0] in eager) and fewer[kind] > 0 and first.id_of(finding, source) not in left:
            fewer[kind] -= 1
            own = next((way for way in ways if first.id_of(way, source) in applied), None)
            yield own or (replace(finding, fix=eager[kind[0]]) if kind[0] in eager else ways[0])


def _left(finding: Finding, state: _State) -> Finding:
    """Return a finding that is left, without fixes that were tried and led nowhere."""
    untried = (way for way in finding.ways() if state.id_of(way) not in state.useless)
    return next(untried, replace(finding, fix=None, otherwise=None))


def _dropped(state: _State) -> Iterator[Dropped]:
    """Yield the dropped fixes whose findings remain, with their current rows."""
    for finding in state.findings:
        drop = state.dropped.get(state.id_of(finding))
        if drop is not None:
            yield _drop(finding, state, drop.reason)


def _edited(source: SourceFile, edits: Sequence[Edit]) -> SourceFile:
    return with_text(source, apply_edits(source.text, edits))


def _applied(finding: Finding, state: _State, *, possible: bool) -> Applied:
    compiles = finding.fix is not None and finding.fix.compiles
    return Applied(state.id_of(finding), state.row_before(finding), block_of(finding, state.source), possible, compiles)


def _drop(finding: Finding, state: _State, reason: str) -> Dropped:
    return Dropped(finding.rule.code, row_of(finding, state.source), reason, state.row_before(finding))
