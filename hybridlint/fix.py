"""The fix loop: analyze, apply the fixes that do not touch each other, and again until nothing changes."""

from __future__ import annotations

import ast
import errno
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from hybridlint.diagnostic import permitted
from hybridlint.edits import Edit, Fix, apply_edits, choose_fixes
from hybridlint.rule import Finding, Severity
from hybridlint.source import SourceError, SourceFile, Span
from hybridlint.tidy import unused_imports

#: Passes after which the loop gives up; each pass resolves at least one finding, and most files need two.
MAX_PASSES = 50

#: Tentative fixes that may follow each other before one repairs something.
MAX_STEPS = 3


@dataclass(frozen=True, slots=True)
class Dropped:
    """A fix that was not applied although it was asked for."""

    code: str
    row: int
    reason: str


#: What names a fix in every run over a file, however the text around it moves.
FixKey = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """A fix that was applied: the row where it stood then, and the class around it, empty outside of all."""

    key: FixKey
    code: str
    row: int
    block: str


@dataclass(frozen=True, slots=True)
class FixOutcome:
    """The fixed text, what is still found in it, and the fixes in the order in which they were applied."""

    source: SourceFile
    findings: tuple[Finding, ...]
    applied: tuple[Applied, ...] = ()
    dropped: tuple[Dropped, ...] = ()


Analyze = Callable[[SourceFile], Sequence[Finding]]

#: Fixes that must not be applied, with the reason.
Refused = Mapping[FixKey, str]


def fix_source(
    source: SourceFile,
    analyze: Analyze,
    *,
    unsafe: bool,
    refused: Refused | None = None,
    doubts: Analyze | None = None,
) -> FixOutcome:
    """Apply permitted fixes to a fixed point. `analyze` returns the findings that are not suppressed.

    `doubts` returns possible findings too: those in classes in which fixes have left nothing else are fixed as well, so
    that what was fixed works hybridized.

    A fix after which the file would not parse, or could not be encoded, is left out and reported, and so are those that
    are `refused`, and tentative ones that lead nowhere.
    """
    loop = _Loop(analyze, unsafe, refused or {}, doubts)
    state = loop.settle(_State(source, tuple(analyze(source))))
    while (found := loop.next_step(state)) is not None:
        after = loop.attempt(state, found, len(state.findings))
        if after is None:
            state.useless.add(_key(found, state.source))
        else:
            state = after
    state = loop.tidied(source, loop.without_doubts(state))
    findings = tuple(replace(f, fix=None) if _key(f, state.source) in state.useless else f for f in state.findings)
    return FixOutcome(state.source, findings, state.applied, tuple(state.dropped.values()))


@dataclass(slots=True)
class _State:
    """How far fixing has come."""

    source: SourceFile
    findings: tuple[Finding, ...]
    applied: tuple[Applied, ...] = ()
    dropped: dict[FixKey, Dropped] = field(default_factory=dict)
    #: Tentative fixes that led nowhere.
    useless: set[FixKey] = field(default_factory=set)

    def copy(self) -> _State:
        """Return a state that can go another way."""
        return replace(self, dropped=dict(self.dropped), useless=set(self.useless))


@dataclass(frozen=True, slots=True)
class _Loop:
    """What stays the same while a file is fixed."""

    analyze: Analyze
    unsafe: bool
    refused: Refused
    doubts: Analyze | None

    def settle(self, state: _State) -> _State:
        """Apply fixes, tentative ones aside, until nothing changes."""
        seen = {state.source.text}
        for _ in range(MAX_PASSES):
            chosen = _choose([f for f in self._candidates(state) if f.fix is not None and not f.fix.tentative])
            good = _sound(state.source, chosen)
            for finding in chosen:
                if finding not in good:
                    state.dropped[_key(finding, state.source)] = _drop(
                        finding, state.source, "the file would no longer parse"
                    )
            if not good:
                if chosen:
                    continue
                break
            text = apply_edits(state.source.text, _edits(good))
            if text in seen:
                reason = "fixes undo each other"
                state.dropped.update({_key(f, state.source): _drop(f, state.source, reason) for f in good})
                continue
            seen.add(text)
            state = self._after(state, good, text)
        return state

    def next_step(self, state: _State) -> Finding | None:
        """Return the first finding with a tentative fix that was not tried yet."""
        found = [f for f in self._candidates(state) if f.fix is not None and f.fix.tentative]
        return next((f for f in found if _sound(state.source, [f])), None)

    def attempt(self, state: _State, finding: Finding, most: int, depth: int = 0) -> _State | None:
        """Take a step and all that follows from it. None where `most` findings are left, or more."""
        text = apply_edits(state.source.text, _edits([finding]))
        after = self.settle(self._after(state.copy(), [finding], text))
        if len(after.findings) < most:
            return after
        following = self.next_step(after) if depth < MAX_STEPS else None
        return None if following is None else self.attempt(after, following, most, depth + 1)

    def without_doubts(self, state: _State) -> _State:
        """Fix the possible findings in classes that fixes have freed of all others."""
        doubts = self.doubts
        if doubts is None or not self.unsafe or not state.applied:
            return state
        left = {_block(f, state.source) for f in state.findings if f.severity is not Severity.INFO}
        freed = {fix.block for fix in state.applied} - left

        def analyze(source: SourceFile) -> list[Finding]:
            found = [f for f in doubts(source) if f.severity is Severity.POSSIBLE]
            return [f for f in found if _block(f, source) in freed]

        loop = replace(self, analyze=analyze)
        doubted = tuple(analyze(state.source))
        if not doubted:
            return state
        after = loop.settle(replace(state.copy(), findings=doubted))
        return replace(after, findings=tuple(self.analyze(after.source)))

    def tidied(self, source: SourceFile, state: _State) -> _State:
        """Remove the imports that the fixes have made unused."""
        edits = unused_imports(source, state.source)
        return self._after(state, [], apply_edits(state.source.text, edits)) if edits else state

    def _candidates(self, state: _State) -> list[Finding]:
        """Return the findings whose fixes may be applied, noting those that are refused."""
        wanted = [finding for finding in state.findings if _wanted(finding, unsafe=self.unsafe)]
        for finding, reason in _refused(wanted, state.source, self.refused):
            state.dropped.setdefault(_key(finding, state.source), _drop(finding, state.source, reason))
        left_out = state.dropped.keys() | state.useless
        return [finding for finding in wanted if _key(finding, state.source) not in left_out]

    def _after(self, state: _State, fixed: Sequence[Finding], text: str) -> _State:
        source = SourceFile(state.source.path, text, state.source.encoding)
        applied = (*state.applied, *(_applied(finding, state.source) for finding in fixed))
        return _State(source, tuple(self.analyze(source)), applied, state.dropped, state.useless)


def write_text(path: Path, text: str, encoding: str) -> None:
    """Replace a file's text at once, keeping its permissions; a link stays a link. Raises OSError."""
    data = text.encode(encoding)
    target = Path(os.path.realpath(path))
    if not os.access(target, os.W_OK):
        # Replacing it asks for no permission but the folder's.
        raise PermissionError(errno.EACCES, "the file is read-only", str(target))
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(name, target.stat().st_mode & 0o7777)
        os.replace(name, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise


def with_line_endings(finding: Finding, ending: str) -> Finding:
    """Return the finding with its fix written in the line endings of the file."""
    fix = finding.fix
    if fix is None or ending == "\n":
        return finding
    edits = tuple(Edit(e.span, e.content.replace("\r\n", "\n").replace("\n", ending)) for e in fix.edits)
    return replace(finding, fix=replace(fix, edits=edits))


def _wanted(finding: Finding, *, unsafe: bool) -> bool:
    return finding.fix is not None and permitted(finding.fix.applicability, unsafe=unsafe)


def _refused(findings: Iterable[Finding], source: SourceFile, refused: Refused) -> Iterator[tuple[Finding, str]]:
    for finding in findings:
        reason = refused.get(_key(finding, source))
        if reason is not None:
            yield finding, reason


def _classes(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    """Iterate over the classes in a syntax tree by their qualified names."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield prefix + child.name, child
            yield from _classes(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _classes(child, f"{prefix}{child.name}.<locals>.")
        else:
            yield from _classes(child, prefix)


def _choose(findings: Sequence[Finding]) -> list[Finding]:
    by_fix = {id(f.fix): f for f in findings}
    return [by_fix[id(fix)] for fix in choose_fixes(f.fix for f in findings if f.fix is not None)]


def _sound(source: SourceFile, findings: list[Finding]) -> list[Finding]:
    """Return the findings whose fixes, together, leave a file that parses."""
    if not findings or _parses(source, findings):
        return findings
    good: list[Finding] = []
    for finding in findings:
        if _parses(source, [*good, finding]):
            good.append(finding)
    return good


def _parses(source: SourceFile, findings: Iterable[Finding]) -> bool:
    try:
        text = apply_edits(source.text, _edits(findings))
        text.encode(source.encoding)
        return bool(SourceFile(source.path, text).tree)
    except (SourceError, ValueError):
        return False


def _edits(findings: Iterable[Finding]) -> list[Edit]:
    fixes: list[Fix] = [finding.fix for finding in findings if finding.fix is not None]
    return [edit for fix in fixes for edit in fix.edits]


def _key(finding: Finding, source: SourceFile) -> FixKey:
    edits = _edits([finding])
    replaced = (source.text[edit.span.start : edit.span.end] for edit in edits)
    contents = (edit.content for edit in edits)
    return (_block(finding, source), finding.rule.code, finding.message, *replaced, *contents)


def _applied(finding: Finding, source: SourceFile) -> Applied:
    return Applied(_key(finding, source), finding.rule.code, _row(finding, source), _block(finding, source))


def _drop(finding: Finding, source: SourceFile, reason: str) -> Dropped:
    return Dropped(finding.rule.code, _row(finding, source), reason)


def _row(finding: Finding, source: SourceFile) -> int:
    return source.location(source.span(finding.node).start)[0]


def _block(finding: Finding, source: SourceFile) -> str:
    """Return the qualified name of the innermost class around a finding, an empty one outside of all."""
    place = source.span(finding.node)
    around = [name for name, span in _class_spans(source) if span.contains(place)]
    return around[-1] if around else ""


@lru_cache(maxsize=4)
def _class_spans(source: SourceFile) -> tuple[tuple[str, Span], ...]:
    return tuple((name, source.span(node)) for name, node in _classes(source.tree))
