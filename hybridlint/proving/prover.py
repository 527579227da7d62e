"""The proof of a file, in the parent process: it starts child processes with a task, and collects the outcomes."""

from __future__ import annotations

import ast
import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.errors import UsageError
from hybridlint.outcome import Outcome, Status, read_outcome
from hybridlint.proving import elsewhere
from hybridlint.proving.child.errors import ON_MXNET
from hybridlint.proving.child.stages import LATE, PLACE, SURROUNDINGS
from hybridlint.proving.engines import ENGINES
from hybridlint.proving.networks import networks
from hybridlint.proving.operator_facts import described
from hybridlint.proving.process import ENDED, ChildEndedError, messages
from hybridlint.proving.read import Read
from hybridlint.proving.stopping import STOPPED, StoppedProofError
from hybridlint.record.store import Record
from hybridlint.runtime.facts.records import record, replace
from hybridlint.settings.directives import DirectiveError, Recipe, parse, read_recipes
from hybridlint.text.rows import rows_between
from hybridlint.text.source import SourceError, SourceFile

MAIN_GUARD = 'Put what only the script does under `if __name__ == "__main__":`.'

#: Variants compared besides the compiled run; they may be left out if time runs out.
COMPARED = ("static_alloc", "exported and imported")
#: Those that are compared besides on a GPU.
ON_GPU = ("gpu, eager", "gpu, compiled")

#: All variants compared besides the compiled run, in this order.
BESIDE = (*COMPARED, "another order", "float16")

#: Default time limit of a block in seconds.
TIMEOUT = 20.0

#: A run counts as endless if it takes this many times as long as the eager run, and at least this many seconds.
MUCH_SLOWER, ENDLESS = 10, 7.5

#: Fraction of a block's time limit for a setup recorded in a real run, before other inputs are tried.
RECORDED = 0.6
#: Least fraction of the time limit for a block on which a new child starts again.
LEAST = 0.1


class Progress:
    """Receives the progress of a proof, for a display; this base class shows nothing."""

    #: Whether the progress is displayed.
    shown = False

    def expect(self, blocks: int) -> None:
        """Add to the number of expected blocks; the number may be negative."""

    def __call__(self, path: Path, block: str) -> None:
        """Report that work on a block of a file has begun."""


@record(frozen=True, slots=True)
class Settings:
    """Settings of a proof.

    `timeout` is in seconds for each block, `memory` in MiB. There are at least two batch sizes, and `samples` random
    inputs for each. `recipes` are those of the configuration, by ``Class`` or ``path/of/file.py:Class``, with paths
    relative to `root`. `engine` is one of `ENGINES`; for "mxnet", `python` is the interpreter that has mxnet.
    `record` has the setups of a real run. `beside` has the texts of other files after the fix, by path. If `timed`, a
    proof measures the time of one call. `device` is one of `DEVICES`: on "gpu", blocks are run there too.
    """

    timeout: float = TIMEOUT
    batches: tuple[int, ...] = (2, 3)
    samples: int = 3
    memory: int = 8192
    recipes: Mapping[str, Recipe] = field(default_factory=dict)
    root: Path = Path()
    engine: str = "bundled"
    python: str | None = None
    record: Record | None = None
    beside: Mapping[Path, str] = field(default_factory=dict)
    timed: bool = False
    device: str = "cpu"

    def recipe(self, path: Path, block: str) -> Recipe:
        """Return the recipe in the configuration for a block of a file; an empty one if there is none."""
        try:
            relative = Path(os.path.abspath(path)).relative_to(os.path.abspath(self.root)).as_posix()
        except ValueError:
            relative = path.name
        return self.recipes.get(f"{relative}:{block}", self.recipes.get(block, Recipe()))


def settings_from(verify: Mapping[str, Any], root: Path) -> Settings:
    """Return the settings in the table ``[tool.hybridlint.verify]``. Raises UsageError for unusable values."""
    batches = tuple(verify.get("batch-sizes", (2, 3)))
    if len(set(batches)) < 2 or not all(type(size) is int and size > 0 for size in batches):
        raise UsageError("`verify.batch-sizes` must be at least two different whole numbers above 0")
    for key in ("timeout", "samples", "memory"):
        if verify.get(key, 1) <= 0:
            raise UsageError(f"`verify.{key}` must be above 0")
    if verify.get("engine", "bundled") not in ENGINES:
        raise UsageError(f"`verify.engine` must be {' or '.join(ENGINES)}, not {verify['engine']}")
    return Settings(
        timeout=float(verify.get("timeout", TIMEOUT)),
        batches=batches,
        samples=verify.get("samples", 3),
        memory=verify.get("memory", 8192),
        recipes={name: _configured(name, text) for name, text in verify.get("inputs", {}).items()},
        root=root,
        engine=verify.get("engine", "bundled"),
        device=verify.get("device", "cpu"),
    )


def prove_file(
    path: Path,
    before: str,
    after: str | None,
    settings: Settings | None = None,
    *,
    blocks: Collection[str] | None = None,
    progress: Progress | None = None,
    read: Read | None = None,
) -> list[Outcome]:
    """Prove the hybrid blocks of a file: before against after, or eager against compiled if `after` is None.

    `blocks` are qualified names of classes or names of network functions, or None for all. Files read during the proof
    are added to `read`. User code runs in child processes; its errors become outcomes.
    """
    settings = settings or Settings()
    if elsewhere.prove is not None:
        return elsewhere.prove(path, before, after, settings, blocks=blocks, progress=progress, read=read)
    proof = _Proof(Path(os.path.abspath(path)), before, after, settings, progress or Progress())
    proof.read = read or Read()
    shown = proof.outcomes(blocks)
    return sorted(shown, key=lambda outcome: outcome.row)


class _Proof:
    def __init__(self, path: Path, before: str, after: str | None, settings: Settings, progress: Progress) -> None:
        self.path = path
        self.before = before
        self.after = after
        self.settings = settings
        self.progress = progress
        self.source = SourceFile(path, before if after is None else after)
        self.networks: list[str] = []
        self.read = Read()

    def outcomes(self, blocks: Collection[str] | None) -> list[Outcome]:
        try:
            known = _verified(self.source)
            recipes, errors = read_recipes(self.source)
        except SourceError as error:
            return [Outcome(self.path, self.path.name, error.row, Status.NOT_RUN, f"it does not parse: {error.reason}")]
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
        heirs = {name for name in _heirs(self.source) if blocks is None or name in blocks}
        self.networks = [name for name, c in selected.items() if c.network]
        if (selected.keys() | heirs) - found.keys():
            found.update(self._run({**{name: Recipe() for name in selected}, **recipes}, selected, blocks, found))
        if self.path.name not in found and not STOPPED.is_set():
            found.update({name: absent(self.source, name, c.row) for name, c in selected.items() if name not in found})
        return list(found.values())

    def _run(
        self,
        recipes: Mapping[str, Recipe],
        known: Mapping[str, _Class],
        blocks: Collection[str] | None,
        done: Mapping[str, Outcome],
    ) -> dict[str, Outcome]:
        """Run children until all blocks have an outcome: after a crash a new child continues with the rest."""
        found: dict[str, Outcome] = {}
        finished = set(done)
        without: dict[str, dict[str, str]] = {}
        record = self.settings.record
        recorded = {} if record is None else record.setups(self.path, self.before)
        limit = self.settings.timeout
        left = dict.fromkeys(recorded, RECORDED * limit)
        used: dict[str, float] = {}
        begun: dict[str, float] = {}
        while True:
            current: str | None = None
            try:
                more = {"without": without, "recorded": recorded, "left": left}
                task = {**self._task(recipes, blocks, finished), **more}
                for message in messages(task, timeout=limit, python=self.settings.python):
                    name = message.get("block")
                    if message["event"] == "start":
                        current = str(name)
                        begun.setdefault(current, time.monotonic())
                        self.progress(self.path, current)
                    elif message["event"] == "outcome":
                        row = known[str(name)].row if name in known else self._row(str(name))
                        outcome = read_outcome(self.path, str(name), row, self._as_judged(message))
                        found[str(name)] = replace(outcome, took=_since(begun.get(str(name))))
                        finished.add(str(name))
                        current = None
                    elif message["event"] == "read":
                        self.read.add(message["files"], message["folders"])
                    elif message["event"] == "failed":
                        return {**self._unimported(known, finished, self._as_judged(message)), **found}
                return found
            except StoppedProofError:
                return found
            except ChildEndedError as error:
                if current is None:
                    failure = {
                        "reason": f"the module cannot be imported: {error.reason}",
                        "add": MAIN_GUARD,
                        "row": None,
                    }
                    return {**self._unimported(known, finished, failure), **found}
                row = known[current].row if current in known else self._row(current)
                left_out = without.setdefault("" if error.optional == SURROUNDINGS else current, {})
                leave_out = error.optional not in (*COMPARED, *ON_GPU) or (error.timeout and not self._endless(error))
                used[current] = used.get(current, 0.0) + error.used
                left[current] = max(limit - used[current], LEAST * limit)
                if error.verdict is not None and error.timeout and leave_out:
                    found[current] = read_outcome(self.path, current, row, self._as_judged(_without(error)))
                    finished.add(current)
                    continue
                if error.optional is not None and error.optional not in left_out and leave_out:
                    left_out[error.optional] = error.reason
                    continue
                # The recorded inputs of a real run can be too large for a proof.
                if error.timeout and recorded.pop(current, None) is not None:
                    continue
                found[current] = self._ended(current, row, error)
                finished.add(current)

    def _as_judged(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the child's message with its row mapped to the text after the fix, if there is one.

        The advice to use MXNet is removed if that is the engine already.
        """
        if message.get("add") == ON_MXNET and self.settings.engine == "mxnet":
            message = {**message, "add": None}
        row = message.get("row")
        if row is None or self.after is None or message.get("fixed", False):
            return message
        return {**message, "row": rows_between(self.before, self.after)(row)}

    def _ended(self, name: str, row: int, error: ChildEndedError) -> Outcome:
        """Return the outcome of a block whose process ended; it is refuted if that was in a compiled run."""
        if error.variant is None or (error.timeout and not self._endless(error)):
            add = f"Give it more time: `--timeout {3 * self.settings.timeout:g}`." if error.timeout else ENDED
            return self._not_run(name, row, error.reason, add)
        reason = f"{error.variant}: {error.reason}; eagerly it took {error.seconds:.2g} s"
        fault = self.after is not None
        return Outcome(self.path, name, row, Status.REFUTED, reason, variant=error.variant, fault=fault)

    def _endless(self, error: ChildEndedError) -> bool:
        """Whether a run took so much longer than the eager run that a busy machine cannot be the reason."""
        return error.lasted > max(MUCH_SLOWER * error.seconds, min(ENDLESS, 0.375 * self.settings.timeout))

    def _unimported(
        self, known: Mapping[str, _Class], finished: Collection[str], message: Mapping[str, Any]
    ) -> dict[str, Outcome]:
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

    def _task(
        self, recipes: Mapping[str, Recipe], blocks: Collection[str] | None, done: Collection[str]
    ) -> dict[str, Any]:
        name, root = module_name(self.path)
        merged = {
            block: recipe.merged(self.settings.recipe(self.path, block)).to_json() for block, recipe in recipes.items()
        }
        return {
            "path": str(self.path),
            "name": name,
            "roots": [str(root)],
            "project": str(root / name.partition(".")[0] if "." in name else root),
            "before": self.before,
            "after": self.after,
            "engine": self.settings.engine,
            "recipes": merged,
            "networks": self.networks,
            "blocks": None if blocks is None else sorted(blocks),
            "done": sorted(done),
            "batches": list(self.settings.batches),
            "samples": self.settings.samples,
            "timeout": self.settings.timeout,
            "memory": int(self.settings.memory * 2**20),
            "operators": described(),
            "beside": [(module_name(path)[0], str(path), text) for path, text in self.settings.beside.items()],
            "timed": self.settings.timed,
            "device": self.settings.device,
        }

    def _not_run(self, name: str, row: int, reason: str, add: str | None, failed_row: int | None = None) -> Outcome:
        return Outcome(self.path, name, row, Status.NOT_RUN, reason, add=add, failed_row=failed_row)

    def _row(self, name: str) -> int:
        return _row(self.source, name)


def absent(source: SourceFile, name: str, row: int | None = None) -> Outcome:
    """Return the outcome of a block that a file defines by its text, in `row`, and that an import did not give."""
    reason = "the module defines no HybridBlock of this name when it is imported"
    add = "Define it at the level of the module, under no condition that an import does not meet."
    return Outcome(source.path, name, row or _row(source, name), Status.NOT_RUN, reason, add=add)


def _row(source: SourceFile, name: str) -> int:
    """Return the first row of a class by its qualified name, 1 if the file has none of that name."""
    last = name.rpartition(".")[2]
    classes = (node for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef))
    return next((node.lineno for node in classes if node.name == last), 1)


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


@record(frozen=True, slots=True)
class _Class:
    """A class that defines hybrid_forward, or (if `network`) a function that builds a network.

    `row` is its first row, `function` the name of the function that the class is defined in, None if there is none.
    """

    row: int
    function: str | None = None
    network: bool = False


def count_blocks(source: SourceFile) -> int:
    """Return how many blocks of a file will be proved, 0 for a file that does not parse."""
    try:
        return len(_verified(source))
    except SourceError:
        return 0


def block_rows(source: SourceFile) -> dict[str, int]:
    """Return the blocks of a file that will be proved, each with its row; none for a file that does not parse."""
    try:
        return {name: block.row for name, block in _verified(source).items()}
    except SourceError:
        return {}


def named_blocks(source: SourceFile) -> list[str]:
    """Return the names by which blocks of a file can be proved. Raises SourceError.

    They include those of classes of which only the import shows whether they inherit hybrid_forward.
    """
    return list(dict.fromkeys([*_verified(source), *_heirs(source)]))


def hybrid_classes(source: SourceFile) -> dict[str, _Class]:
    """Return the classes of a file that define hybrid_forward, by qualified name. Raises SourceError."""
    return dict(_walk(source.tree, "", None))


def _verified(source: SourceFile) -> dict[str, _Class]:
    """Return the classes, then the network functions, of a file that a proof covers, each in source order."""
    built = networks(source)
    # A class that a function defines and returns is proved as the network that the function builds.
    within = {f"{name}.<locals>.{cls}" for name, network in built.items() for cls in network.classes}
    found = {name: c for name, c in hybrid_classes(source).items() if name not in within}
    return {**found, **{name: _Class(network.row, network=True) for name, network in built.items()}}


def _heirs(source: SourceFile) -> Iterator[str]:
    """Yield the top-level classes that may inherit hybrid_forward."""
    return (node.name for node in source.tree.body if isinstance(node, ast.ClassDef) and node.bases)


def _walk(node: ast.AST, prefix: str, function: str | None) -> Iterator[tuple[str, _Class]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            name = f"{prefix}{child.name}"
            if any(isinstance(m, ast.FunctionDef) and m.name == ENTRY for m in child.body):
                yield name, _Class(child.lineno, function)
            yield from _walk(child, f"{name}.", function)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _walk(child, f"{prefix}{child.name}.<locals>.", child.name)
        else:
            yield from _walk(child, prefix, function)


def module_name(path: Path) -> tuple[str, Path]:
    """Return the dotted module name of a file, and the folder from which it is imported."""
    parts = [] if path.name == "__init__.py" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts) or path.parent.name, folder


def _configured(name: str, text: Any) -> Recipe:
    if not isinstance(text, str):
        raise UsageError(f"`verify.inputs.{name}` must be a string such as 'args=(3,), x=(\"N\", 3)'")
    try:
        return parse(f"({text})")
    except DirectiveError as error:
        raise UsageError(f"`verify.inputs.{name}`: {error.reason}") from error


def refuted(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the refuted outcomes."""
    return [outcome for outcome in outcomes if outcome.status is Status.REFUTED]
