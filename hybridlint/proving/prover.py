"""The proof of a file, in the parent process: it starts child processes with a task, and collects the outcomes."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from hybridlint.core.proof_outcome import UNPARSED, ProofOutcome, ProofStatus, read_outcome
from hybridlint.project.settings.directives import DeclaredSetup, read_recipes
from hybridlint.proving import remote_prover
from hybridlint.proving.blocks import Provable, first_row, heirs, provable
from hybridlint.proving.child.build.module_statements import ACTIONS, MAIN_GUARD, ModuleEnd, is_import
from hybridlint.proving.child.errors import NOT_DEFINED, ON_MXNET
from hybridlint.proving.child.stages import IMPORTING, LATE, PLACE
from hybridlint.proving.module_name import module_import
from hybridlint.proving.operator_facts import describe_operators
from hybridlint.proving.process import ENDED, ChildEndedError, messages
from hybridlint.proving.progress import Progress
from hybridlint.proving.read_set import ReadSet
from hybridlint.proving.related_files import related_files
from hybridlint.proving.settings import ProofSettings
from hybridlint.proving.stopping import STOPPED, StoppedProofError
from hybridlint.runtime.facts.records import replace
from hybridlint.system.call_depth import deep
from hybridlint.text.rows import rows_between
from hybridlint.text.source import SourceError, SourceFile

SMALLER = "Say smaller inputs in a comment above the class, or take what fills memory or folders out of what it runs."

#: Variants compared besides the compiled run; they may be left out if time runs out.
COMPARED = ("static_alloc", "exported and imported")
#: Those that are compared besides on a GPU.
ON_GPU = ("gpu, eager", "gpu, compiled")

#: All variants compared besides the compiled run, in this order.
BESIDE = (*COMPARED, "another order", "float16")

#: A run counts as endless if it takes this many times as long as the eager run, and at least this many seconds.
MUCH_SLOWER, ENDLESS = 10, 7.5

#: Statements of a module that ended a child, after which all that do something are left out, or the proof ends.
SEVERAL, MOST_ENDING = 2, 8

#: Fraction of a block's time limit for a setup recorded in a real run, before other inputs are tried.
RECORDED = 0.6
#: What a block lacks whose module has ended before it defined everything.
_LACKS_NAME = re.compile(r"NameError: |defines no HybridBlock of this name")
#: Least fraction of the time limit for a block on which a new child starts again.
LEAST = 0.1


def prove_file(
    path: Path,
    before: str,
    after: str | None,
    settings: ProofSettings | None = None,
    *,
    blocks: Collection[str] | None = None,
    progress: Progress | None = None,
    read: ReadSet | None = None,
) -> list[ProofOutcome]:
    """Prove the hybrid blocks of a file: before against after, or eager against compiled if `after` is None.

    `blocks` are qualified names of classes or names of network functions, or None for all. Files read during the proof
    are added to `read`. User code runs in child processes; its errors become outcomes.
    """
    settings = settings or ProofSettings()
    if remote_prover.prove is not None:
        return remote_prover.prove(path, before, after, settings, blocks=blocks, progress=progress, read=read)
    proof = _Proof(Path(os.path.abspath(path)), before, after, settings, progress or Progress())
    proof.read = read or ReadSet()
    with deep():
        shown = proof.outcomes(blocks)
    return sorted(shown, key=lambda outcome: outcome.row)


def task_of_file(path: Path, text: str, settings: ProofSettings) -> dict[str, Any]:
    """Return the task for a child that only runs the blocks of a file, without a fix. Raises SourceError."""
    proof = _Proof(Path(os.path.abspath(path)), text, None, settings, Progress())
    known = provable(proof.source)
    recipes, _ = read_recipes(proof.source)
    proof.networks = [name for name, block in known.items() if block.network]
    attempts = _Attempts(proof, known, set())
    with deep():
        task = proof.task({**{name: DeclaredSetup() for name in known}, **recipes}, None, ())
    return {**task, **attempts.lessons()}


class _Proof:
    def __init__(self, path: Path, before: str, after: str | None, settings: ProofSettings, progress: Progress) -> None:
        self.path = path
        self.before = before
        self.after = after
        self.settings = settings
        self.progress = progress
        self.source = SourceFile(path, before if after is None else after)
        self.networks: list[str] = []
        #: The blocks that the text defines and that can be run.
        self.defined: list[str] = []
        self.read = ReadSet()
        #: Where the module ended early, before the fix (False) and after it (True).
        self.ends: dict[bool, ModuleEnd] = {}
        #: The file of each module that is not built, and for which there was a stand-in, by its name.
        self.unbuilt: dict[str, str] = {}

    @cached_property
    def brief(self) -> Any:
        """The brief of the code for the worker, as JSON data."""
        # It asks numpy which methods change an array.
        from hybridlint.proving.brief.writer import write_brief

        return write_brief(self.path, module_import(self.path).name, self.before, self.after, self.read)

    def outcomes(self, blocks: Collection[str] | None) -> list[ProofOutcome]:
        try:
            known = provable(self.source)
            recipes, errors = read_recipes(self.source)
            SourceFile(self.path, self.before).check_syntax()
        except SourceError as error:
            return [
                ProofOutcome(self.path, self.path.name, error.row, ProofStatus.NOT_RUN, f"{UNPARSED}: {error.reason}")
            ]
        selected = {name: c for name, c in known.items() if blocks is None or name in blocks}
        found = {
            name: self._not_run(name, c.row, error.reason, "Correct that comment.", error.row)
            for name, c in selected.items()
            for error in ([errors[name]] if name in errors else [])
        }
        for name, c in selected.items():
            if c.function is not None:
                reason = f"the class is defined inside the function `{c.function}`, where it cannot be reached"
                found[name] = self._not_run(name, c.row, reason, "Move the class to the level of the module.")
        inheriting = {name for name in heirs(self.source) if blocks is None or name in blocks}
        self.networks = [name for name, c in selected.items() if c.network]
        if (selected.keys() | inheriting) - found.keys():
            self.defined = [name for name in selected if name not in found]
            found.update(
                self._run({**{name: DeclaredSetup() for name in selected}, **recipes}, selected, blocks, found)
            )
        if self.path.name not in found and not STOPPED.is_set():
            found.update({name: absent(self.source, name, c.row) for name, c in selected.items() if name not in found})
        return [self._with_end(outcome) for outcome in found.values()]

    def _with_end(self, outcome: ProofOutcome) -> ProofOutcome:
        """Return an outcome that says what had a stand-in, and where the module ended early, if it did.

        The end is blamed for names that are lacking.
        """
        outcome = replace(outcome, unbuilt=tuple(self.unbuilt.items()))
        end = self.ends.get(True) or self.ends.get(False)
        if end is None or outcome.block == self.path.name:
            return outcome
        early = str(end) if self.after is None or True in self.ends else f"before the fix {end}"
        lacks = outcome.status is ProofStatus.NOT_RUN and _LACKS_NAME.search(outcome.reason)
        return replace(outcome, module_end=early, add=end.add if lacks else outcome.add)

    def _run(
        self,
        recipes: Mapping[str, DeclaredSetup],
        known: Mapping[str, Provable],
        blocks: Collection[str] | None,
        done: Mapping[str, ProofOutcome],
    ) -> dict[str, ProofOutcome]:
        """Run children until all blocks have an outcome: after a crash a new child continues with the rest."""
        attempts = _Attempts(self, known, set(done))
        while True:
            task = {**self.task(recipes, blocks, attempts.finished), **attempts.lessons()}
            try:
                for message in messages(task, timeout=self.settings.timeout, python=self.settings.python):
                    if message["event"] == "failed":
                        return {**self._unimported(known, attempts.finished, self.as_judged(message)), **attempts.found}
                    attempts.heed(message)
                return attempts.found
            except StoppedProofError:
                return attempts.found
            except ChildEndedError as error:
                if attempts.current is None:
                    if attempts.leave_out_statement(error):
                        continue
                    failure = {
                        "reason": f"the module cannot be imported: {error.reason}",
                        "add": MAIN_GUARD,
                        "row": None,
                    }
                    return {**self._unimported(known, attempts.finished, failure), **attempts.found}
                attempts.learn(attempts.current, error)

    def as_judged(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the child's message with its row mapped to the text after the fix, if there is one.

        The advice to use MXNet is removed if that is the engine already.
        """
        if message.get("add") == ON_MXNET and self.settings.engine == "mxnet":
            message = {**message, "add": None}
        row = message.get("row")
        if row is None or self.after is None or message.get("fixed", False):
            return message
        return {**message, "row": rows_between(self.before, self.after)(row)}

    def ended(self, name: str, row: int, error: ChildEndedError) -> ProofOutcome:
        """Return the outcome of a block whose process ended; it is refuted if that was in a compiled run."""
        if error.variant is None or error.over or (error.timeout and not self.is_endless(error)):
            add = f"Give it more time: `--timeout {3 * self.settings.timeout:g}`." if error.timeout else ENDED
            add = SMALLER if error.over else add
            return self._not_run(name, row, error.reason, add)
        reason = f"{error.variant}: {error.reason}; eagerly it took {error.seconds:.2g} s"
        fault = self.after is not None
        return ProofOutcome(self.path, name, row, ProofStatus.REFUTED, reason, variant=error.variant, fault=fault)

    def is_endless(self, error: ChildEndedError) -> bool:
        """Whether a run took so much longer than the eager run that a busy machine cannot be the reason."""
        return error.lasted > max(MUCH_SLOWER * error.seconds, min(ENDLESS, 0.375 * self.settings.timeout))

    def _unimported(
        self, known: Mapping[str, Provable], finished: Collection[str], message: Mapping[str, Any]
    ) -> dict[str, ProofOutcome]:
        """Return one outcome for a file that cannot be imported, in place of equal ones for all its blocks.

        It is empty if the source defines no block that can be recognized without importing it.
        """
        if not known:
            return {}
        rest = [name for name in known if name not in finished]
        reason = message["reason"] + (f"; none of its {len(rest)} blocks is run" if len(rest) > 1 else "")
        row = message["row"] or 1
        outcome = self._not_run(self.path.name, row, reason, message["add"], message["row"])
        return {self.path.name: replace(outcome, stopped=tuple(message.get("stopped", ())))}

    def task(
        self, recipes: Mapping[str, DeclaredSetup], blocks: Collection[str] | None, done: Collection[str]
    ) -> dict[str, Any]:
        imported = module_import(self.path)
        merged = {
            block: recipe.merged(self.settings.recipe(self.path, block)).to_json() for block, recipe in recipes.items()
        }
        return {
            "path": str(self.path),
            "name": imported.name,
            "roots": list(imported.roots),
            "namespaces": dict(imported.namespaces),
            "tops": list(imported.tops),
            "related": [(imported.name_of(path), str(path)) for path in related_files(self.path)],
            "project": imported.tops[0],
            "before": self.before,
            "after": self.after,
            "engine": self.settings.engine,
            "recipes": merged,
            "networks": self.networks,
            "defined": [name for name in self.defined if name not in done],
            "blocks": None if blocks is None else sorted(blocks),
            "done": sorted(done),
            "batches": list(self.settings.batches),
            "samples": self.settings.samples,
            "timeout": self.settings.timeout,
            "memory": int(self.settings.memory * 2**20),
            "operators": describe_operators(),
            "brief": self.brief,
            "beside": [(imported.name_of(path), str(path), text) for path, text in self.settings.beside.items()],
            "timed": self.settings.timed,
            "device": self.settings.device,
        }

    def _not_run(
        self, name: str, row: int, reason: str, add: str | None, failed_row: int | None = None
    ) -> ProofOutcome:
        return ProofOutcome(self.path, name, row, ProofStatus.NOT_RUN, reason, add=add, failed_row=failed_row)

    def first_row(self, name: str) -> int:
        return first_row(self.source, name)


class _Attempts:
    """The reports of a proof's children so far, and the instructions for the next child."""

    def __init__(self, proof: _Proof, known: Mapping[str, Provable], finished: set[str]) -> None:
        self.proof = proof
        self.known = known
        #: The blocks that need no further child, with those that were never to be run.
        self.finished = finished
        self.found: dict[str, ProofOutcome] = {}
        #: The block that the child works on.
        self.current: str | None = None
        self._limit = proof.settings.timeout
        record = proof.settings.record
        self._recorded = {} if record is None else record.setups(proof.path, proof.before)
        #: Optional work that is left out, and why, by block; "" represents all blocks.
        self._without: dict[str, dict[str, str]] = {}
        #: Statements of the module that ended a child, and how; whether one was without all that do something.
        self._ending: dict[str, str] = {}
        self._actions_left_out = False
        #: Seconds that are left for a block.
        self._left = dict.fromkeys(self._recorded, RECORDED * self._limit)
        self._used: dict[str, float] = {}
        self._begun: dict[str, float] = {}

    def lessons(self) -> dict[str, Any]:
        """Return the part of a task that follows from earlier children."""
        return {"without": self._without, "recorded": self._recorded, "left": self._left}

    def heed(self, message: Mapping[str, Any]) -> None:
        """Take in a message of a child, other than that the import has failed."""
        if message["event"] == "start":
            self.current = str(message["block"])
            self._begun.setdefault(self.current, time.monotonic())
            self.proof.progress(self.proof.path, self.current)
        elif message["event"] == "outcome":
            name = str(message["block"])
            self._finish(name, replace(self._outcome(name, message), took=_since(self._begun.get(name))))
            self.current = None
        elif message["event"] == "module end":
            row = self.proof.as_judged(message)["row"]
            self.proof.ends[bool(message["fixed"])] = ModuleEnd(row, message["reason"], message["add"])
        elif message["event"] == "unbuilt":
            self.proof.unbuilt.update(message["files"])
        elif message["event"] == "read":
            self.proof.read.add(message["files"], message["folders"])

    def leave_out_statement(self, error: ChildEndedError) -> bool:
        """Have the next child leave out the module's statement that ended this one; False if none has.

        The child itself says which it was, and user code may say so too. Before an import is left out, and after
        several statements, all that do something are left out once instead: then no user code can have said it.
        """
        key, reason = error.optional, error.reason.replace(f" ({IMPORTING})", "")
        without_actions = ACTIONS in self._without.get("", ())
        if key is None or len(self._ending) > MOST_ENDING or (key in self._ending and not without_actions):
            return False
        self._ending[key] = reason
        several = len(self._ending) > SEVERAL or is_import(key, self.proof.before, self.proof.after)
        if several and not self._actions_left_out:
            self._actions_left_out = True
            self._without[""] = {ACTIONS: reason}
        else:
            self._without[""] = dict(self._ending)
        return True

    def learn(self, name: str, error: ChildEndedError) -> None:
        """Record that a child ended at a block: the next child leaves work out, or the block is finished."""
        self.current = None
        optional = error.optional
        # That a compared run crashes, or never ends, is an outcome; all other optional work is only left out.
        may_leave_out = optional not in (*COMPARED, *ON_GPU) or (error.timeout and not self.proof.is_endless(error))
        self._used[name] = self._used.get(name, 0.0) + error.used
        self._left[name] = max(self._limit - self._used[name], LEAST * self._limit)
        if error.verdict is not None and error.timeout and may_leave_out:
            self._finish(name, self._outcome(name, _without(error)))
            return
        left_out = self._without.setdefault(name, {})
        if optional is not None and optional not in left_out and may_leave_out:
            left_out[optional] = error.reason
            return
        # The recorded inputs of a real run can be too large for a proof.
        if error.timeout and self._recorded.pop(name, None) is not None:
            return
        self._finish(name, self.proof.ended(name, self._row(name), error))

    def _outcome(self, name: str, verdict: Mapping[str, Any]) -> ProofOutcome:
        return read_outcome(self.proof.path, name, self._row(name), self.proof.as_judged(verdict))

    def _finish(self, name: str, outcome: ProofOutcome) -> None:
        self.found[name] = outcome
        self.finished.add(name)
        if self.proof.after is None:
            # Of fixed texts several are proved, one after another.
            self.proof.progress.judged(self.proof.path, name, outcome.status.value)

    def _row(self, name: str) -> int:
        return self.known[name].row if name in self.known else first_row(self.proof.source, name)


def absent(source: SourceFile, name: str, row: int | None = None) -> ProofOutcome:
    """Return the outcome of a block that the file's text defines in `row`, but an import did not."""
    reason, add = NOT_DEFINED
    return ProofOutcome(source.path, name, row or first_row(source, name), ProofStatus.NOT_RUN, reason, add=add)


def _since(moment: float | None) -> float | None:
    return None if moment is None else time.monotonic() - moment


def _without(error: ChildEndedError) -> Mapping[str, Any]:
    """Return the verdict from before the optional work for which time ran out."""
    assert error.verdict is not None
    if error.optional == PLACE:
        return error.verdict
    # A verdict that was sent before the first run beside the compiled one has none yet.
    done = error.verdict.get("variants", ())
    late = [{"name": name, "note": LATE} for name in BESIDE if name not in {variant["name"] for variant in done}]
    return {**error.verdict, "variants": [*done, *late]}
