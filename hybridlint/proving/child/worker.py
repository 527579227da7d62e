"""The child's work on a task: it loads each version of the user's module and sends verdicts."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.brief import code
from hybridlint.proving.child.brief.brief import read_brief
from hybridlint.proving.child.build.constructor_search import Constructor
from hybridlint.proving.child.build.loading import CANNOT_BE_IMPORTED, Variants
from hybridlint.proving.child.build.module_statements import ModuleEnd, SkippedStatements, StatementRunner
from hybridlint.proving.child.build.values.callsites import ConstructorCalls
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.comparison_evidence import ProofEvidence
from hybridlint.proving.child.errors import NOT_DEFINED, NotRunError, failure
from hybridlint.proving.child.judging.judge import judge
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.numpy_mode import enable_if_needed
from hybridlint.proving.child.proof_case import NOT_RUN, ProofCase
from hybridlint.proving.child.runs.variants import BlockVersion
from hybridlint.proving.child.sandbox.guard import AuditGuard
from hybridlint.proving.child.search.parent_blocks import ParentBlocks
from hybridlint.proving.child.search.search_target import SearchTarget
from hybridlint.proving.child.search.setup_finder import SetupFinder
from hybridlint.proving.child.stages import IMPORTING, IMPORTING_FIXED, Stage
from hybridlint.system.call_depth import deep

if TYPE_CHECKING:
    from collections.abc import Callable

_SMALLER = "Say smaller inputs in a comment above the class, or raise `memory` in [tool.hybridlint.verify]."
_NESTED = "its code is nested too deeply to be read for the proof"
_SHORTER = "Give parts of its longest expression names of their own."
#: The key in `without` for what is left out for all blocks.
EVERY = ""


class Worker:
    """Finds the verdict on each block of one module, and sends it as a message."""

    def __init__(
        self,
        task: Mapping[str, Any],
        send: Callable[[Mapping[str, Any]], None],
        guard: AuditGuard,
        evidence: ProofEvidence,
    ) -> None:
        self.task = task
        self.send = send
        self.guard = guard
        self.evidence = evidence
        #: Where the module ended early, as messages.
        self.ends: list[dict[str, Any]] = []
        self.brief = read_brief(task["brief"])
        code.learn(self.brief.code)
        #: The file of each module of the project that is not built, and for which there is a stand-in, by its name.
        self.unbuilt: Mapping[str, str] = {}

    def speak(self, send: Callable[[Mapping[str, Any]], None], evidence: ProofEvidence) -> None:
        """Send to another process from now on."""
        self.send, self.evidence = send, evidence

    def load(self) -> list[str]:
        """Import the module, and return the blocks to be judged. Raises NotRunError."""
        with deep():
            self.before, self.after = self._load()
        self.names = self._selected(self.before, self.after)
        return self.names

    def judge(self, name: str) -> None:
        """Send the outcome of a block, and the files that were read for it."""
        judged = self._judged(name, self.before, self.after)
        self.send_reads()
        self.send({"event": "outcome", "block": name, **judged, "stopped": list(dict.fromkeys(self.guard.notes))})

    def report_import(self) -> None:
        """Send the files that were read for the import, the stand-ins, and where the module ended early."""
        self.send_reads()
        if self.unbuilt:
            self.send({"event": "unbuilt", "files": dict(self.unbuilt)})
        for end in self.ends:
            self.send(end)

    def send_reads(self) -> None:
        """Send the files and folders that were read since the last time."""
        self.send({"event": "read", **self.guard.reads.news()})

    def _load(self) -> tuple[LoadedModule, LoadedModule | None]:
        task = self.task
        mx = engine(task["engine"])
        sys.path[:0] = task["roots"]
        sys.argv[:] = [task["path"]]
        variants = _variants(task)
        self.unbuilt = variants.unbuilt
        self._stage(Stage(IMPORTING))
        skipped = SkippedStatements(task["without"].get(EVERY, {}))
        runner = StatementRunner(task["path"], self._stage, skipped, limit=task["timeout"])
        loaded = variants.load(task["before"], runner)
        enable_if_needed(mx, loaded)
        before = LoadedModule(mx, loaded)
        before.related = [(name, path) for name, path in task["related"]]
        self._take_end(variants.end, before, fixed=False)
        sites = ConstructorCalls(self.brief.construction)
        constructor = Constructor(before, task["name"], task["path"], sites)
        self.surroundings = ParentBlocks(
            before,
            task["name"],
            constructor,
            batches=task["batches"],
            limit=task["timeout"],
            alone=task["after"] is not None,
        )
        if task["after"] is None:
            return before, None
        self._stage(Stage(IMPORTING_FIXED))
        try:
            variants.put_beside(task["beside"], task["tops"])
            runner = StatementRunner(task["path"], self._stage, skipped, limit=task["timeout"], fixed=True)
            after = LoadedModule(mx, variants.load(task["after"], runner), before.borrowed)
            after.related = before.related
            self._take_end(variants.end, after, fixed=True)
            return before, after
        except NotRunError as error:
            error.fixed = True
            raise

    def _take_end(self, end: ModuleEnd | None, loaded: LoadedModule, *, fixed: bool) -> None:
        """Keep where a module ended early. Raises NotRunError if it has defined no block until then."""
        if end is None:
            return
        networks = [name for name in self.task["networks"] if name in loaded.namespace]
        if not (networks or any(True for _ in _blocks(loaded, self.task["name"]))):
            raise NotRunError(f"{CANNOT_BE_IMPORTED}{end.reason}", end.add, end.row)
        self.ends.append({"event": "module end", "row": end.row, "reason": end.reason, "add": end.add, "fixed": fixed})

    def _selected(self, before: LoadedModule, after: LoadedModule | None) -> list[str]:
        names = [*dict(_blocks(after or before, self.task["name"])), *self.task["networks"]]
        selected = self.task["blocks"]
        left = [name for name in names if (selected is None or name in selected) and name not in self.task["done"]]
        # A module that ended early may not have got to all that its text defines.
        return [name for name in left if name.partition(".")[0] in before.namespace or after is not None]

    def _judged(self, name: str, before: LoadedModule, after: LoadedModule | None) -> dict[str, Any]:
        with deep():
            return self._judged_deeply(name, before, after)

    def _judged_deeply(self, name: str, before: LoadedModule, after: LoadedModule | None) -> dict[str, Any]:
        path = self.task["path"]
        if name not in self.names:
            return not_run(NotRunError(*NOT_DEFINED))
        try:
            case = self.case(name, before, after)
            verdict = judge(case, self.finder(name, case))
            from_recipe = bool(self.task["recipes"].get(name))
            return {**verdict, "directive": None} if from_recipe else verdict
        except NotRunError as error:
            return not_run(error)
        except MemoryError:
            return not_run(NotRunError("it ran out of the memory that the proof may use", _SMALLER))
        except Exception as error:
            found = failure(error, path)
            if isinstance(error, RecursionError) and found.row is None:
                return not_run(NotRunError(_NESTED, _SHORTER))
            add = "Correct that line." if found.row is not None else None
            return not_run(NotRunError(f"running it failed: {found.sentence}", add, found.row))

    def case(self, name: str, before: LoadedModule, after: LoadedModule | None) -> ProofCase:
        """Return the case of a block. Raises NotRunError if there is none of that name."""
        task = self.task
        label = "before the fix" if after else "as it stands"
        old = _side(label, before, name, task["before"])._replace(changes=self.brief.before)
        new = None
        if after is not None and self.brief.after is not None:
            new = _side("after the fix", after, name, task["after"])._replace(changes=self.brief.after)
        without = {**task["without"].get(EVERY, {}), **task["without"].get(name, {})}
        return ProofCase(
            path=task["path"],
            before=old,
            after=new,
            samples=task["samples"],
            limit=task["left"].get(name, task["timeout"]),
            start=now(),
            report_stage=self._stage,
            without=without,
            evidence=self.evidence,
            timed=task["timed"],
            gpu=task["device"] == "gpu",
        )

    def finder(self, name: str, case: ProofCase) -> SetupFinder:
        """Return the finder of a setup for the block of a case."""
        subject = SearchTarget(
            world=case.before.world,
            cls=case.before.cls,
            path=case.path,
            recipe=self.task["recipes"].get(name, {}),
            recorded=self.task["recorded"].get(name, ()),
            batches=self.task["batches"],
            report_stage=self._stage,
            constructor=self.surroundings.constructor,
        )
        finder = SetupFinder(subject)
        finder.until(case.start, case.limit)
        if isinstance(case.before.cls, type):
            finder.enclosing.surroundings = self.surroundings
        return finder

    def _stage(self, stage: Stage) -> None:
        self.send({"event": "stage", **stage._asdict()})


def _variants(task: Mapping[str, Any]) -> Variants:
    """Return the loader of the user's module.

    For the bundled runtime it also provides names that Python and numpy have removed.
    """
    if task["engine"] == "mxnet":
        return Variants(task["name"], task["path"], task["namespaces"], roots=task["roots"])
    loader = importlib.import_module("hybridlint.launch.legacy.loader")
    loader.install()
    return Variants(task["name"], task["path"], task["namespaces"], loader.parse_source, roots=task["roots"])


def engine(name: str) -> Any:
    """Return the module mxnet: the bundled runtime or the installed one. Raises NotRunError."""
    try:
        if name != "mxnet":
            importlib.import_module("hybridlint.launch.serve").serve()
        mx = importlib.import_module("mxnet")
        for part in ("autograd", "gluon", "name", "nd", "random", "util"):
            getattr(mx, part)
    except Exception as error:
        add = "Give `--python` the path of a Python that has MXNet." if name == "mxnet" else None
        raise NotRunError(f"mxnet cannot be imported: {failure(error, '').sentence}", add) from error
    return mx


def _blocks(world: LoadedModule, module: str) -> Iterator[tuple[str, Any]]:
    """Yield the HybridBlock classes that a module defines, including nested ones, in order of definition."""
    hybrid = world.mx.gluon.HybridBlock
    found: list[tuple[str, Any]] = []
    pending = [value for value in list(world.namespace.values()) if isinstance(value, type)]
    seen = set()
    while pending:
        cls = pending.pop(0)
        if cls.__module__ != module or id(cls) in seen:
            continue
        seen.add(id(cls))
        pending += [value for value in list(vars(cls).values()) if isinstance(value, type)]
        if issubclass(cls, hybrid):
            found.append((cls.__qualname__, cls))
    yield from found


def _lookup(world: LoadedModule, name: str) -> Any:
    """Return the class or network function of this qualified name. Raises NotRunError if there is none."""
    value: Any = world.namespace.get(name.split(".", maxsplit=1)[0])
    for part in name.split(".")[1:]:
        value = getattr(value, part, None)
    if not callable(value):
        raise NotRunError("it does not exist before the fix")
    if getattr(value, "__name__", "") == "<lambda>":
        value.__name__ = name
    return value


def _side(label: str, world: LoadedModule, name: str, text: str) -> BlockVersion:
    cls = _lookup(world, name)
    return BlockVersion(label, world.of(cls), cls, text)


def not_run(error: NotRunError) -> dict[str, Any]:
    """Return the outcome of a block that was not run, as JSON data."""
    return {
        "status": NOT_RUN,
        "reason": error.reason,
        "add": error.add,
        "row": error.row,
        "fixed": error.fixed,
        "directive": error.directive,
    }
