"""The conversion of several files: each comes after the files that it imports, and sees their new texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from hybridlint.analysis.interpret import new_project
from hybridlint.analysis.project.program import ClassInfo, Project
from hybridlint.checking.pipeline import Pipeline
from hybridlint.hybridizing import implied
from hybridlint.hybridizing.callers import around, outside_heirs, publicly_called
from hybridlint.hybridizing.candidates import declares_only, plain_networks
from hybridlint.hybridizing.children import advised
from hybridlint.hybridizing.doubts import Doubts
from hybridlint.hybridizing.draft import Draft, draft, plain_classes
from hybridlint.hybridizing.nested import too_deep
from hybridlint.hybridizing.order import children_first
from hybridlint.hybridizing.outcome import Outcome, Reason, Status
from hybridlint.hybridizing.proof import outcome_of
from hybridlint.outcome import Outcome as Proof
from hybridlint.processes.depth import deep
from hybridlint.result import Fixed
from hybridlint.runtime.facts.records import record
from hybridlint.text.source import SourceFile


@record(frozen=True)
class Converted:
    """A file with its text before and after the conversion, and the outcome for each of its blocks."""

    path: Path
    text: Fixed
    outcomes: tuple[Outcome, ...]


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
    refused: dict[tuple[Path, str], Outcome] = field(default_factory=dict)
    #: The proofs of drafts, by the file and the draft's text.
    proofs: dict[tuple[Path, str], dict[str, Proof]] = field(default_factory=dict)
    #: Classes to be left as they are, by file, each with the reason.
    without: dict[Path, dict[str, Reason]] = field(default_factory=dict)

    def of_files(self, sources: Sequence[SourceFile], selected: Mapping[Path, Collection[str]]) -> list[Converted]:
        """Convert files, and return them in the given order; a file without an entry is converted as a whole."""
        self.without = dict(outside_heirs(sources))
        while True:
            found = {
                source.path: self._of_file(source, selected.get(source.path)) for source in children_first(sources)
            }
            abandoned = list(self._abandoned())
            if not abandoned:
                return [found[source.path] for source in sources]
            for path, name, reason in abandoned:
                self.without.setdefault(path, {})[name] = reason
            self.project, self.texts, self.converted, self.staying = new_project(), {}, set(), []
            self.proofs = {}

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
                Outcome(source.path, name, reason.row, Status.IMPOSSIBLE, (reason,))
                for name, reason in too_deep(source, selected)
            )
            return Converted(source.path, Fixed(source.text, source.text, source.encoding), outcomes)

    def _converted(self, source: SourceFile, selected: Collection[str] | None) -> Converted:
        module = self.project.module(source)
        known = plain_classes(module)
        rows = {name: info.node.lineno for name, info in known.items()}
        rows |= {name: node.lineno for name, node in plain_networks(module).items()}
        considered = rows.keys() if selected is None else selected
        public = publicly_called(around(source.path)) if rows else frozenset()
        outcome_of: dict[str, Outcome] = {}
        without = dict(self.without.get(source.path, {}))
        doubts = Doubts()
        while True:
            made = draft(
                module,
                self.project,
                self.pipeline,
                selected=selected,
                without=without,
                public=public,
                doubted=doubts.classes,
                unequal=doubts.unequal,
            )
            # Of a draft that is made for some classes these are proved first: it may have to be made again.
            if doubts.learn(made, self._proofs(made, known, doubts.asked)):
                continue
            proofs = self._proofs(made, known)
            if doubts.learn(made, proofs):
                continue
            outcomes = self._proved(made, known, rows, proofs)
            # A class that was proved can still stay a Block: because of one that it depends on, which was not proved.
            proved = {name for name, o in outcome_of.items() if self._kept(o)}
            unmade = {n: o for n, o in _impossible(made, rows).items() if n not in outcome_of or n in proved}
            outcome_of |= unmade | outcomes
            dropped = {name: o.reasons[0] for name, o in outcomes.items() if not self._kept(o)}
            if not dropped:
                break
            without |= dropped
        converted = {*made.chosen, *made.networks}
        if converted:
            self.texts[source.path] = made.after.text
            self.project.module(made.after)
            self.converted |= {(source.path, name) for name in made.chosen}
        self.staying += [(info, outcome_of[name].reasons[0]) for name, info in known.items() if name in made.impossible]
        for name in outcome_of.keys() - converted:
            outcome_of[name] = self.refused.setdefault((source.path, name), outcome_of[name])
        outcome_of |= {
            n: advised(o, known[n], self.project, self.pipeline) for n, o in outcome_of.items() if n in known
        }
        shown = [
            outcome_of[name]
            for name in sorted(outcome_of, key=rows.__getitem__)
            if name in considered or name in converted
        ]
        return Converted(source.path, Fixed(source.text, made.after.text, source.encoding), tuple(shown))

    def _kept(self, outcome: Outcome) -> bool:
        return outcome.status.safe or (self.unsafe and outcome.status is not Status.IMPOSSIBLE)

    def _proofs(
        self, made: Draft, known: Mapping[str, ClassInfo], only: Collection[str] | None = None
    ) -> dict[str, Proof]:
        """Return the proofs of a draft's classes and functions by name: of all that compute, or of some."""
        computing = _computing(made, known)
        key = made.before.path, made.after.text
        proofs = self.proofs.setdefault(key, {})
        missing = {name for name in computing if only is None or name in only} - proofs.keys()
        # A file that cannot be imported has a single outcome.
        if missing and key[0].name not in proofs:
            proved = self.pipeline.proved_draft(made.before, made.after, missing, self.texts)
            proofs |= {proof.block: proof for proof in proved}
        return proofs

    def _proved(
        self, made: Draft, known: Mapping[str, ClassInfo], rows: Mapping[str, int], proofs: Mapping[str, Proof]
    ) -> dict[str, Outcome]:
        """Return the outcomes of a draft's classes and functions by name."""
        computing = _computing(made, known)
        if not made.chosen and not computing:
            return {}
        whole = proofs.get(made.before.path.name)
        found = {
            name: outcome_of(name, rows[name], proofs.get(name, whole), made)
            for name in computing
            if name not in made.networks or name in proofs or whole is not None
        }
        found |= implied.of_functions(made, known, rows, found)
        return {**found, **dict(implied.of_bases(made, known, found))}


def _computing(made: Draft, known: Mapping[str, ClassInfo]) -> list[str]:
    return [*(name for name in made.chosen if not declares_only(known[name])), *made.networks]


def _impossible(made: Draft, rows: Mapping[str, int]) -> dict[str, Outcome]:
    path = made.before.path
    return {
        name: Outcome(path, name, rows[name], Status.IMPOSSIBLE, (reason,)) for name, reason in made.impossible.items()
    }
