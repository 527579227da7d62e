"""A draft of a converted file: the conversion, then the fixes of its findings, then the findings that remain."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from hybridlint.fixing.edit_checks import tidy_file
from hybridlint.fixing.finding_kinds import block_of
from hybridlint.hybridizing import obstacles
from hybridlint.hybridizing.broadcasting import Unequal, rule_for
from hybridlint.hybridizing.candidates import FUNCTIONS, classes, is_plain, names_in, plain_networks
from hybridlint.hybridizing.conversion import convert_classes
from hybridlint.hybridizing.outcome import Reason
from hybridlint.hybridizing.plan import plan_of
from hybridlint.hybridizing.reachable_methods import families
from hybridlint.rule import Severity
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.edits import FixKind
from hybridlint.text.rows import rows_between
from hybridlint.text.source import SourceError
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.project.program import ClassInfo, Project, ProjectFile
    from hybridlint.checking.pipeline import Pipeline
    from hybridlint.rule import Finding
    from hybridlint.text.source import SourceFile


@record(frozen=True)
class Draft:
    """A file `before` and `after` the conversion of the `chosen` classes, named by qualified name.

    `networks` are the converted functions that build networks. `impossible` has the first reason for each class that
    cannot be converted, `left` the findings that remain in each converted class. Rows of reasons are rows of `before`.
    `notes` say what changes for the users of a class.
    """

    before: SourceFile
    after: SourceFile
    chosen: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    impossible: Mapping[str, Reason] = field(default_factory=dict)
    left: Mapping[str, tuple[Reason, ...]] = field(default_factory=dict)
    notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def plain_classes(module: ProjectFile) -> dict[str, ClassInfo]:
    """Return the block classes of a file that `hybridize()` does not compile, by qualified name."""
    return {name: info for name, info in classes(module) if is_plain(info)}


def draft(
    module: ProjectFile,
    project: Project,
    pipeline: Pipeline,
    *,
    selected: Collection[str] | None = None,
    without: Mapping[str, Reason] | None = None,
    public: Collection[str] = (),
    doubted: Collection[str] = (),
    unequal: Collection[Unequal] = (),
) -> Draft:
    """Return a draft of a file in which all classes in `selected` (None: all) that can be converted are.

    The classes in `without` are not converted, nor are those that depend on them; it has the reason for each. `public`
    names methods that neighbouring files call. The classes in `doubted` failed when they ran hybridized; in these the
    fixes of possible findings are applied too. The operators in `unequal` are made to broadcast.
    """
    known = plain_classes(module)
    considered = known.keys() if selected is None else _with_relatives(known, selected)
    impossible = dict(without or {})
    for name, info in known.items():
        reason = obstacles.of_definition(name, info) if name in considered and name not in impossible else None
        if reason is not None:
            impossible[name] = reason
    functions = plain_networks(module)
    repairs = _Repairs()
    while True:
        impossible = _with_dependents(known, considered, impossible)
        chosen = [name for name in known if name in considered and name not in impossible]
        networks = [name for name in functions if (selected is None or name in selected) and name not in impossible]
        planned = plan_of(module, chosen, public, networks, repairs.given)
        if planned.refused:
            impossible |= planned.refused
            continue
        if not chosen and not networks:
            return Draft(module.source, module.source, impossible=impossible)
        try:
            new = convert_classes(planned.plan)
        except SourceError as error:
            rows = {name: known[name].node.lineno for name in chosen} | {n: functions[n].lineno for n in networks}
            impossible |= {name: Reason(error.reason, row) for name, row in rows.items()}
            continue
        after, found = _fixed(new, pipeline, project, chosen, doubted=doubted, unequal=unequal)
        if repairs.learn(found, after, chosen):
            continue
        blocked, left = _judged(found, chosen, module.source, after)
        if not blocked:
            notes = {name: tuple(_notes(planned.plan.constants.get(name, ()))) for name in chosen}
            text = tidy_file(module.source, after)
            return Draft(module.source, text, tuple(chosen), tuple(networks), impossible, left, notes)
        impossible |= blocked


@record(slots=True)
class _Repairs:
    """The functions that get an argument `F` because a fix in them needs it, learned draft by draft."""

    #: Those in which findings remained when they had no F, and those among them that had no use for it.
    wanting: set[str] = field(default_factory=set)
    idle: set[str] = field(default_factory=set)

    @property
    def given(self) -> set[str]:
        """Those that get F in the next draft."""
        return self.wanting - self.idle

    def learn(self, found: Sequence[Finding], after: SourceFile, chosen: Collection[str]) -> bool:
        """Learn from a fixed draft and the findings that remain in it; whether another one has to be made."""
        lacking = _without_functions(found, after, chosen) - self.wanting
        unused = {name for name in self.given if not _uses_functions(after, name)}
        self.wanting |= lacking
        self.idle |= unused
        return bool(lacking or unused)


def _with_relatives(known: Mapping[str, ClassInfo], selected: Collection[str]) -> set[str]:
    """Return the selected classes with their base classes and subclasses in the file, which are converted together."""
    names = {id(info): name for name, info in known.items()}
    groups = [{names[id(info)] for info in family} for family in families(known.values())]
    return {name for group in groups if group & set(selected) for name in group}


def _with_dependents(
    known: Mapping[str, ClassInfo], considered: Collection[str], impossible: Mapping[str, Reason]
) -> dict[str, Reason]:
    """Return the classes that cannot be converted, and the classes that depend on them, with the reasons."""
    found = dict(impossible)
    while True:
        found |= _heirs(known, considered, found)
        more = _bases(known, considered, found)
        if not more:
            return found
        found |= more


def _bases(
    known: Mapping[str, ClassInfo], considered: Collection[str], impossible: Mapping[str, Reason]
) -> dict[str, Reason]:
    """Return the base classes that cannot be converted because a subclass stays a Block, with the reasons.

    With a hybrid base class the subclass could not have other Blocks as children.
    """
    found: dict[str, Reason] = {}
    for name in considered:
        for base in known[name].lineage[1:] if name in impossible else ():
            above = next((other for other, info in known.items() if info is base), None)
            if above is not None and above not in impossible:
                text = f"`{name}`, derived from it, stays a Block: {impossible[name]}"
                found[above] = Reason(text, base.node.lineno)
    return found


def _heirs(
    known: Mapping[str, ClassInfo], considered: Collection[str], impossible: Mapping[str, Reason]
) -> dict[str, Reason]:
    """Return the classes that cannot be converted because a base class stays a Block, with the reasons."""
    names = {id(info): name for name, info in known.items()}
    found: dict[str, Reason] = {}
    for name in considered:
        for base in known[name].lineage[1:]:
            reason = impossible.get(names.get(id(base), ""))
            if reason is None and base.block and not base.hybrid and id(base) not in names:
                reason = Reason(f"it is in {base.module.path.name}, and not hybrid", base.node.lineno)
            if reason is not None and name not in impossible:
                text = f"its base `{base.node.name}` stays a Block: {reason}"
                found[name] = Reason(text, known[name].node.lineno)
    return found


def _fixed(
    source: SourceFile,
    pipeline: Pipeline,
    project: Project,
    chosen: Collection[str],
    *,
    doubted: Collection[str],
    unequal: Collection[Unequal],
) -> tuple[SourceFile, list[Finding]]:
    """Return a file with all findings in the converted classes fixed, and the findings that have no fix."""

    def choose(finding: Finding, source: SourceFile, *, possible: bool) -> Finding | None:
        owner = _owner(finding, source, chosen)
        wanted = possible or owner in doubted or finding.severity is not Severity.POSSIBLE
        return _plain_fix(finding) if owner and wanted else None

    outcome = pipeline.fixed_draft(source, project, choose, [rule_for(unequal)] if unequal else [])
    return outcome.source, list(outcome.findings)


def _without_functions(found: Sequence[Finding], source: SourceFile, chosen: Collection[str]) -> set[str]:
    """Return the functions and methods without F in which findings of converted classes remain, by name."""
    spans = [source.span(finding.node) for finding in found if _owner(finding, source, chosen)]
    classes_too = [
        part for each in source.tree.body for part in (each.body if isinstance(each, ast.ClassDef) else [each])
    ]
    functions = [part for part in classes_too if isinstance(part, ast.FunctionDef) and part.name != "__init__"]
    without = [f for f in functions if all(argument.arg != FUNCTIONS for argument in f.args.args)]
    return {f.name for f in without if any(source.span(f).contains(span) for span in spans)}


def _uses_functions(source: SourceFile, name: str) -> bool:
    """Whether a function or method of this name reads F in its body."""
    named = (n for n in walk(source.tree) if isinstance(n, ast.FunctionDef) and n.name == name)
    return any(FUNCTIONS in names_in(statement) for function in named for statement in function.body)


def _plain_fix(finding: Finding) -> Finding:
    """Return a finding without a fix that would make another class hybrid, or one of the converted classes eager.

    `draft` chooses the classes, and gives F to helpers in a way that suits callers in other files too.
    """
    finding = replace(finding, otherwise=None)
    fix = finding.fix
    if fix is None:
        return finding
    makes_hybrid = fix.kind.is_tentative and finding.rule.family.value == 8
    unwanted = makes_hybrid or fix.signature or fix.kind is FixKind.KEEP_EAGER
    return replace(finding, fix=None) if unwanted else finding


def _owner(finding: Finding, source: SourceFile, chosen: Collection[str]) -> str:
    """Return the converted class that contains a finding, or whose calls lead to it; "" if there is none."""
    calls = (call for call in finding.calls if call.source.path == source.path and call.source.text == source.text)
    places = [block_of(finding, source), *(block_of(replace(finding, node=call.node), source) for call in calls)]
    return next((name for name in places if name in chosen), "")


def _judged(
    found: Sequence[Finding], chosen: Collection[str], before: SourceFile, after: SourceFile
) -> tuple[dict[str, Reason], dict[str, tuple[Reason, ...]]]:
    """Return the first error of each class that needs array values, and the other errors of each other class.

    Silent differences come before the errors of their class: an error is left where its fix would only make these run.
    """
    blocked: dict[str, Reason] = {}
    left: dict[str, tuple[Reason, ...]] = {}
    row_of = rows_between(after.text, before.text)
    owners = [(finding, _owner(finding, after, chosen)) for finding in found]
    failing = {owner for finding, owner in owners if owner and finding.severity is Severity.ERROR}
    for finding, owner in sorted(owners, key=lambda each: not each[0].rule.silent):
        silent = finding.rule.silent and finding.severity is Severity.WARNING
        if owner not in failing or not (silent or finding.severity is Severity.ERROR):
            continue
        reason = Reason(finding.message, row_of(after.location(after.span(finding.node).start)[0]))
        if finding.rule.needs_values and not silent:
            blocked.setdefault(owner, reason)
        else:
            left[owner] = (*left.get(owner, ()), reason)
    return blocked, {name: reasons for name, reasons in left.items() if name not in blocked}


def _notes(constants: Collection[str]) -> Iterator[str]:
    for name in constants:
        yield (
            f"`{name}` is a constant parameter now: others read it as `.{name}.data()`, the block must be initialized, "
            "and files of parameters from before are loaded with `allow_missing=True`"
        )
