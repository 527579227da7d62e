"""The conversion of several files: each comes after the files that it imports, and sees their new texts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from hybridlint.analysis.interpret import new_project
from hybridlint.analysis.project.program import ClassInfo, Project, ProjectFile
from hybridlint.checking.pipeline import Pipeline
from hybridlint.core.proof_outcome import ProofOutcome as Proof
from hybridlint.core.result import Fixed
from hybridlint.hybridizing import implied_outcomes
from hybridlint.hybridizing.callers import around, outside_heirs, publicly_called
from hybridlint.hybridizing.candidates import declares_only, plain_networks
from hybridlint.hybridizing.children import advise_children
from hybridlint.hybridizing.deep_nesting import too_deep
from hybridlint.hybridizing.draft import Draft, draft, plain_classes
from hybridlint.hybridizing.draft_feedback import Doubts
from hybridlint.hybridizing.file_order import children_first
from hybridlint.hybridizing.outcome import ConversionOutcome, ConversionStatus, Reason
from hybridlint.hybridizing.proof import outcome_of
from hybridlint.proving.stopping import StoppedProofError, check_stopped
from hybridlint.runtime.facts.records import record
from hybridlint.system.call_depth import deep
from hybridlint.text.source import SourceFile


@record(frozen=True)
class Converted:
    """A file with its text before and after the conversion, and the outcome for each of its blocks."""

    path: Path
    text: Fixed
    outcomes: tuple[ConversionOutcome, ...]


@record()
class Hybridizing:
    """The conversion of some files. `pipeline` fixes and proves the drafts.

    With `unsafe`, converted classes are kept even if no proof succeeds; refuted ones never are.
    """

    pipeline: Pipeline
    unsafe: bool = False
    project: Project = field(default_factory=new_project)
    #: The new texts of the files converted so far.
    texts: dict[Path, str] = field(default_factory=dict)
    #: The classes converted so far, by file and name, and those that stay Blocks, each with the reason.
    converted: set[tuple[Path, str]] = field(default_factory=set)
    staying: list[tuple[ClassInfo, Reason]] = field(default_factory=list)
    #: The first outcome of each class that cannot be converted: a later one may only name another class as the reason.
    refused: dict[tuple[Path, str], ConversionOutcome] = field(default_factory=dict)
    #: The proofs of drafts, by the file and the draft's text.
    proofs: dict[tuple[Path, str], dict[str, Proof]] = field(default_factory=dict)
    #: Classes to be left as they are, by file, each with the reason.
    without: dict[Path, dict[str, Reason]] = field(default_factory=dict)
    #: The files that were not converted, as the user has ended the run.
    undone: list[Path] = field(default_factory=list)
    #: Is told which file is converted, as the number of files before it and of all.
    progress: Callable[[int, int], None] = lambda done, of: None

    def of_files(self, sources: Sequence[SourceFile], selected: Mapping[Path, Collection[str]]) -> list[Converted]:
        """Convert files, and return them in the given order; a file without an entry is converted as a whole."""
        self.progress(0, len(sources))
        self.without = dict(outside_heirs(sources))
        while True:
            found = self._found(sources, selected)
            abandoned = list(self._abandoned())
            if not abandoned or self.undone:
                return [found[source.path] for source in sources if source.path in found]
            for path, name, reason in abandoned:
                self.without.setdefault(path, {})[name] = reason
            self.project, self.texts, self.converted, self.staying = new_project(), {}, set(), []
            self.proofs = {}

    def _found(self, sources: Sequence[SourceFile], selected: Mapping[Path, Collection[str]]) -> dict[Path, Converted]:
        """Convert files in the order of their imports. Those that a signal prevents are `undone`."""
        found: dict[Path, Converted] = {}
        order = list(children_first(sources))
        for number, source in enumerate(order):
            self.progress(number, len(order))
            try:
                check_stopped()
                found[source.path] = self._of_file(source, selected.get(source.path))
            except StoppedProofError:
                self.undone = [each.path for each in order[number:]]
                break
        return found

    def _abandoned(self) -> Iterator[tuple[Path, str, Reason]]:
        """Yield (file, class, reason) for each converted class with a subclass in another file that stays a Block."""
        for info, reason in self.staying:
            for base in info.lineage[1:]:
                place = base.module.source.path, base.node.name
                if place in self.converted and place[0] != info.module.source.path:
                    name = f"{info.node.name}` in {info.module.source.path.name}"
                    yield *place, Reason(f"`{name}, derived from it, stays a Block: {reason}", base.node.lineno)

    def _of_file(self, source: SourceFile, selected: Collection[str] | None) -> Converted:
        try:
            with deep():
                return self._converted(source, selected)
        except RecursionError:
            outcomes = tuple(
                ConversionOutcome(source.path, name, reason.row, ConversionStatus.IMPOSSIBLE, (reason,))
                for name, reason in too_deep(source, selected)
            )
            return Converted(source.path, Fixed(source.text, source.text, source.encoding), outcomes)

    def _converted(self, source: SourceFile, selected: Collection[str] | None) -> Converted:
        file = _File(source, self.project.module(source), selected)
        made, outcomes = self._settled(file)
        converted = {*made.chosen, *made.networks}
        if converted:
            self.texts[source.path] = made.after.text
            self.project.module(made.after)
            self.converted |= {(source.path, name) for name in made.chosen}
        staying = [(info, name) for name, info in file.known.items() if name in made.impossible]
        self.staying += [(info, outcomes[name].reasons[0]) for info, name in staying]
        for name in outcomes.keys() - converted:
            outcomes[name] = self.refused.setdefault((source.path, name), outcomes[name])
        outcomes |= {
            name: advise_children(outcome, file.known[name], self.project, self.pipeline)
            for name, outcome in outcomes.items()
            if name in file.known
        }
        shown = [name for name in outcomes if name in file.considered or name in converted]
        told = tuple(outcomes[name] for name in sorted(shown, key=file.rows.__getitem__))
        return Converted(source.path, Fixed(source.text, made.after.text, source.encoding), told)

    def _settled(self, file: _File) -> tuple[Draft, dict[str, ConversionOutcome]]:
        """Return the draft of a file of which all that it converts is kept, and the outcomes by name.

        Classes that are not proved are left out of the next draft, and with them those that depend on them.
        """
        public = publicly_called(around(file.source.path)) if file.rows else frozenset()
        # Classes that are no blocks have heirs in other files too.
        without = {n: reason for n, reason in self.without.get(file.source.path, {}).items() if n in file.rows}
        doubts = Doubts()
        settled: dict[str, ConversionOutcome] = {}
        while True:
            made = draft(
                file.module,
                self.project,
                self.pipeline,
                selected=file.selected,
                without=without,
                public=public,
                doubted=doubts.classes,
                unequal=doubts.unequal,
            )
            # Of a draft that is made for some classes these are proved first: it may have to be made again.
            if doubts.learn(made, self._proofs(made, file, doubts.asked)):
                continue
            proofs = self._proofs(made, file)
            if doubts.learn(made, proofs):
                continue
            outcomes = _proved(made, file, proofs)
            # A class that was proved can still stay a Block: because of one that it depends on, which was not proved.
            proved = {name for name, outcome in settled.items() if self._kept(outcome)}
            unmade = {n: o for n, o in _impossible(made, file).items() if n not in settled or n in proved}
            settled |= unmade | outcomes
            dropped = {name: o.reasons[0] for name, o in outcomes.items() if not self._kept(o)}
            if not dropped:
                return made, settled
            without |= dropped

    def _kept(self, outcome: ConversionOutcome) -> bool:
        return outcome.status.safe or (self.unsafe and outcome.status is not ConversionStatus.IMPOSSIBLE)

    def _proofs(self, made: Draft, file: _File, only: Collection[str] | None = None) -> dict[str, Proof]:
        """Return the proofs of a draft's classes and functions by name: of all that compute, or of some."""
        key = file.source.path, made.after.text
        proofs = self.proofs.setdefault(key, {})
        missing = {name for name in _computing(made, file) if only is None or name in only} - proofs.keys()
        # A file that cannot be imported has a single outcome.
        if missing and key[0].name not in proofs:
            proved = self.pipeline.proved_draft(made.before, made.after, missing, self.texts)
            check_stopped()
            proofs |= {proof.block: proof for proof in proved}
        return proofs


class _File:
    """A file to be converted: its plain blocks (`known`), and all that may be converted in it, with their rows."""

    def __init__(self, source: SourceFile, module: ProjectFile, selected: Collection[str] | None) -> None:
        self.source = source
        self.module = module
        self.selected = selected
        self.known = plain_classes(module)
        self.rows = {name: info.node.lineno for name, info in self.known.items()}
        self.rows |= {name: node.lineno for name, node in plain_networks(module).items()}
        self.considered: Collection[str] = self.rows.keys() if selected is None else selected


def _proved(made: Draft, file: _File, proofs: Mapping[str, Proof]) -> dict[str, ConversionOutcome]:
    """Return the outcomes of a draft's classes and functions by name."""
    computing = _computing(made, file)
    if not made.chosen and not computing:
        return {}
    whole = proofs.get(made.before.path.name)
    found = {
        name: outcome_of(name, file.rows[name], proofs.get(name, whole), made)
        for name in computing
        if name not in made.networks or name in proofs or whole is not None
    }
    found |= implied_outcomes.of_functions(made, file.known, file.rows, found)
    return {**found, **dict(implied_outcomes.of_bases(made, file.known, found))}


def _computing(made: Draft, file: _File) -> list[str]:
    """Return the classes and functions of a draft that can run by themselves."""
    return [*(name for name in made.chosen if not declares_only(file.known[name])), *made.networks]


def _impossible(made: Draft, file: _File) -> dict[str, ConversionOutcome]:
    """Return the outcomes of the classes that a draft could not convert, by name."""
    path = file.source.path
    return {
        name: ConversionOutcome(path, name, file.rows[name], ConversionStatus.IMPOSSIBLE, (reason,))
        for name, reason in made.impossible.items()
    }
