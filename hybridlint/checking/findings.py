"""From a source file to findings: the interpreter walks the file once, and rules handle its events."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from hybridlint.rule import CalleeFinding, Finding, Rule, Severity, default_rules
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.edits import FixKind
from hybridlint.text.line_endings import with_endings_of
from hybridlint.text.screening import may_be_hybrid
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.model.events import CodeContext, Event, SettingTest
    from hybridlint.analysis.project.program import Project
    from hybridlint.runtime.facts.declared import DeclaredShapes
    from hybridlint.runtime.facts.types import Shape
    from hybridlint.text.edits import Fix
    from hybridlint.text.source import SourceFile

_Handlers = dict[type, list[Callable[[Any], Iterable[Finding]]]]
_Place = tuple[str, int, int, int, int]

#: The work for all findings of a file, in nodes of syntax that are looked at.
_MOST_WORK = 1_500_000
#: The work for a finding, whose fix is written and laid out, and for each node of its function beyond so many.
_EACH, _PER_NODE, _FREE = 600, 3, 1000


@record(slots=True)
class PartialAnalysis:
    """The results of an analysis so far. Its owner keeps them even if the analysis is cut short."""

    events: list[Event] = field(default_factory=list)
    #: How many events the rules have seen, and what they found.
    seen: int = 0
    found: dict[_Place, Finding] = field(default_factory=dict)

    def go_on(self, rules: Iterable[Rule], source: SourceFile) -> None:
        """Show the rules the events that they have not seen."""
        for finding in _dispatch(self, _handlers(tuple(rules)), source):
            known = self.found.setdefault(_place(finding), finding)
            if known.severity is Severity.POSSIBLE or _hides(finding, known):
                # Another path through the code reaches the same place and may know more.
                self.found[_place(finding)] = finding

    def so_far(self, source: SourceFile) -> list[Finding]:
        """Return the findings so far, in order of position."""
        return [with_line_endings(finding, source) for finding in sorted(self.found.values(), key=position)]


def analyze_file(
    source: SourceFile,
    rules: Iterable[Rule] | None = None,
    project: Project | None = None,
    *,
    possible: bool = False,
    fixes_later: bool = False,
    recorded: Mapping[str, Mapping[str, Shape]] | None = None,
    declared: Mapping[str, DeclaredShapes] | None = None,
    draft: bool = False,
    without: frozenset[str] = frozenset(),
    begun: PartialAnalysis | None = None,
) -> list[Finding]:
    """Return the findings of the given rules (default: `default_rules`) in a file, in order of position.

    Passing one `project` for several files reads each shared import once. `recorded` gives the input shapes seen in a
    real run, by class and input name, and `declared` the operators that MXNet does not have. Other files do not import
    a `draft`: fixes that are tried change only the file itself. The module's definitions called `without` are
    not analyzed.

    A rule reports a place once, even if several call chains or loop iterations lead to it. Findings that can be neither
    proved nor refuted are left out unless `possible` is true; with `fixes_later` their fixes are not made yet, for
    `with_fix` to make them. `begun` is what has to be filled. Raises SourceError if the file does not parse.
    """
    rules = default_rules() if rules is None else tuple(rules)
    if not may_be_hybrid(source.text, plain=any(not rule.default for rule in rules)):
        return []
    from hybridlint.analysis.interpret import module_events

    begun = PartialAnalysis() if begun is None else begun
    module_events(source, project, recorded, declared, draft=draft, without=without, events=begun.events)
    begun.go_on(rules, source)
    selected = [f for f in begun.so_far(source) if possible or f.severity is not Severity.POSSIBLE]
    return selected if fixes_later else [with_fix(finding, source) for finding in selected]


@lru_cache(maxsize=4)
def _handlers(rules: tuple[Rule, ...]) -> _Handlers:
    """Return the handlers of each kind of event; those of the last rules are kept, which most files share."""
    table: _Handlers = {}
    for rule in rules:
        for kind, handler in rule.handlers:
            table.setdefault(kind, []).append(handler)
    return table


def _dispatch(begun: PartialAnalysis, handlers: _Handlers, source: SourceFile) -> Iterator[Finding]:
    work = _Work()
    while begun.seen < len(begun.events):
        event = begun.events[begun.seen]
        begun.seen += 1
        function = event.frame.function
        if function is not None and work.is_done:
            yield from _left_out(event, function, work, handlers, source)
            continue
        try:
            found = list(_found(event, handlers, source))
        except RecursionError:
            if function is None:
                raise
            yield from _left_out(event, function, work, handlers, source, deep=True)
            continue
        for finding in found:
            yield finding
            work.add(function)


def _found(event: Event, handlers: _Handlers, source: SourceFile) -> Iterator[Finding]:
    """Yield the findings of the rules for an event, weakened if its place makes them uncertain."""
    for handler in handlers.get(type(event), ()):
        for finding in handler(event):
            fix, last = _kept(finding.fix, event), _kept(finding.otherwise, event)
            adjusted = replace(finding, fix=fix or last, otherwise=last if fix is not None else None)
            if finding.later is not None:
                adjusted = replace(adjusted, later=partial(_made_later, finding.later, event))
            if event.frame.presumed and adjusted.severity is Severity.ERROR:
                adjusted = replace(adjusted, severity=Severity.WARNING)
            if event.frame.unusual is not None:
                adjusted = _of_unusual_settings(adjusted, event.frame.unusual, event.frame.source)
            if not event.frame.certain:
                adjusted = replace(adjusted, fix=None, otherwise=None, later=None, severity=Severity.POSSIBLE)
            yield _led_to(adjusted, event, source)


def _of_unusual_settings(finding: Finding, test: SettingTest, source: SourceFile) -> Finding:
    """Return a finding for code that only unusual settings reach: at most a warning."""
    here = ((test.node, "with the default settings, this test does not lead here"),) if test.source is source else ()
    severity = Severity.WARNING if finding.severity is Severity.ERROR else finding.severity
    return replace(finding, severity=severity, notes=(*finding.notes, *here))


@record(slots=True)
class _Work:
    """The amount of work for a file's findings. Each finding may read its whole function for a fix."""

    nodes: int = 0
    #: The numbers of nodes of functions, by their identity, and the functions that are told to be unfinished.
    sizes: dict[int, int] = field(default_factory=dict)
    told: set[int] = field(default_factory=set)

    def add(self, function: ast.AST | None) -> None:
        """Count a finding in a function."""
        if function is None:
            return
        if id(function) not in self.sizes:
            self.sizes[id(function)] = sum(1 for _ in walk(function))
        self.nodes += _EACH + _PER_NODE * max(0, self.sizes[id(function)] - _FREE)

    @property
    def is_done(self) -> bool:
        """Whether no more can be done for this file."""
        return self.nodes > _MOST_WORK


def _left_out(
    event: Event,
    function: ast.FunctionDef | ast.Lambda,
    work: _Work,
    handlers: _Handlers,
    source: SourceFile,
    *,
    deep: bool = False,
) -> Iterator[Finding]:
    """Tell, once for each function, from which line on nothing was looked for in it."""
    from hybridlint.analysis.model.events import Unfinished

    if id(function) in work.told:
        return
    work.told.add(id(function))
    row = getattr(event.node, "lineno", function.lineno)
    owner = "" if event.frame.class_name is None else f"{event.frame.class_name}."
    cut = Unfinished(function, event.frame, f"{owner}{getattr(function, 'name', 'a lambda')}", row, deep)
    for handler in handlers.get(Unfinished, ()):
        yield from (_led_to(finding, cut, source) for finding in handler(cut))


def _kept(fix: Fix | None, event: Event) -> Fix | None:
    """Return a fix if it is right for every execution of the code. A fix that keeps a class eager always is."""
    from hybridlint.analysis.flow.every_execution import held_each_time
    from hybridlint.analysis.model.events import InPlace, LostName
    from hybridlint.analysis.mxnet.dialect import MXNET

    if fix is None or fix.kind is FixKind.KEEP_EAGER:
        # The usual settings, which need no repair, keep their graph.
        return None if event.frame.unusual is not None else fix
    if event.frame.rewritten:
        return None
    # A fix may rely on values that hold in one loop iteration only, except `x = x + y` for `x += y`, and one of the
    # names that a block's outputs lack, which asks for the same block in each iteration itself.
    repeats = fix.repeats or isinstance(event, InPlace | LostName)
    generic = not event.frame.unrolled or repeats or _outside_loops(fix, event.frame)
    return held_each_time(fix, event.frame, event.node, MXNET) if generic else None


def _made_later(make: Callable[[], Fix | None], event: Event) -> Fix | None:
    return _kept(make(), event)


def with_fix(finding: Finding, source: SourceFile) -> Finding:
    """Return the finding with its fix, which is made now if it was left for later."""
    if finding.later is None:
        return finding
    try:
        fix = finding.later()
    except RecursionError:
        # What it would rewrite is nested too deeply.
        fix = None
    return with_line_endings(replace(finding, fix=fix, later=None), source)


def _outside_loops(fix: Fix, frame: CodeContext) -> bool:
    """Whether a fix changes nothing inside a loop, so that it cannot depend on the values of one iteration."""
    loops = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    spans = [frame.source.span(n) for n in walk(frame.function or ast.Pass()) if isinstance(n, loops)]
    return frame.function is not None and not any(span.overlaps(edit.span) for span in spans for edit in fix.edits)


def _led_to(finding: Finding, event: Event, source: SourceFile) -> Finding:
    """Return the finding with its call chain. A finding in another file moves to the last call site in this file."""
    frame = event.frame
    if frame.source is source:
        return replace(finding, calls=frame.calls) if frame.calls else finding
    last = max(i for i, site in enumerate(frame.calls) if site.source is source)
    row, _ = frame.source.location(frame.source.span(finding.node).start)
    name = getattr(frame.function, "name", "a lambda")
    return replace(
        finding,
        node=frame.calls[last].node,
        message=f"in `{name}` ({frame.source.path.name}, line {row}): {finding.message}",
        fix=None,
        otherwise=None,
        later=None,
        notes=(),
        calls=frame.calls[:last] + frame.calls[last + 1 :],
        callee=CalleeFinding(frame.source, finding.node, finding.message, frame.calls),
    )


def _place(finding: Finding) -> _Place:
    node: Any = finding.node
    return finding.rule.topic, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _hides(finding: Finding, known: Finding) -> bool:
    """Whether a finding reports an exception where another rule reports a silent difference."""
    raised = finding.severity is not Severity.POSSIBLE and not finding.rule.silent
    return finding.rule is not known.rule and raised and known.rule.silent


def position(finding: Finding) -> tuple[int, int, str]:
    """Return the sort key of a finding: its position, then its code."""
    node: Any = finding.node
    return node.lineno, node.col_offset, finding.rule.code


def with_line_endings(finding: Finding, source: SourceFile) -> Finding:
    """Return the finding with the line endings of its fix changed to those of the file."""
    if finding.fix is None or "\r" not in source.text:
        return finding
    return replace(finding, fix=_ended(finding.fix, source), otherwise=_ended(finding.otherwise, source))


def _ended(fix: Fix | None, source: SourceFile) -> Fix | None:
    return None if fix is None else replace(fix, edits=tuple(with_endings_of(source.text, fix.edits)))
