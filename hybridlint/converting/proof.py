"""The proof of a conversion: it runs both sides in the sandbox on equal inputs and weights, and compares them."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridlint.converting.conversion import Conversion
from hybridlint.converting.facts import ModuleFacts
from hybridlint.converting.sandboxed import SideFailedError, run_side
from hybridlint.converting.source import ConvertedModule, convert_source
from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus, ReportedDifference
from hybridlint.proving.blocks import first_row
from hybridlint.proving.prover import task_of_file
from hybridlint.proving.scratch import scratch_folder
from hybridlint.text.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Collection

    from hybridlint.proving.settings import ProofSettings

#: The memory for PyTorch, which reserves more addresses than the runtime: MiB.
MEMORY = 16_384
#: What PyTorch does otherwise, and a proof allows for.
_UNBIASED = "PyTorch's moving variances are n / (n - 1) times MXNet's"
_TOTALS = "PyTorch's totals are scalars, MXNet's of shape (1,)"
#: Names of the modes in reports.
_MODES = {"predict, recorded": "predicting", "train": "training"}
NO_TORCH = "PyTorch is not installed: `pip install 'hybridlint[torch]'`"


def has_torch() -> bool:
    """Whether PyTorch is installed."""
    return importlib.util.find_spec("torch") is not None


def convert_and_prove(
    source: SourceFile, settings: ProofSettings, selected: Collection[str] | None = None
) -> Conversion:
    """Convert a module and prove its blocks, as far as PyTorch is there and inputs are found."""
    draft = convert_source(source, selected)
    with scratch_folder() as scratch:
        task = task_of_file(source.path, source.text, settings)
        # Blocks that others are made of are observed, too: they show sizes.
        wanted = [*draft.blocks, *(name for name in task["networks"] if name in draft.kept)]
        names = [name for name in wanted if selected is None or name in selected]
        try:
            timeout = settings.timeout * max(len(wanted), 1)
            seen = run_side({**task, "side": "gluon", "wanted": wanted}, scratch, "facts.json", timeout=timeout)
        except SideFailedError as error:
            seen = {"blocks": {}, "failed": str(error)}
        facts = ModuleFacts(seen["blocks"])
        module = convert_source(source, selected, facts)
        proof = _Proof(source, module, seen, wanted)
        return Conversion.of_module(module, proof.outcomes(names, task, scratch, settings.timeout))


def _failure_of_other(found: Mapping[str, Any], stem: Path) -> str | None:
    """Return why a run with another number in the constructor differs, None if it does not."""
    from hybridlint.converting.comparison import call_difference

    failure = found.get("reason") or next(iter(found.get("failures", ())), None)
    if failure is not None:
        return f"in PyTorch it fails: {failure}"
    difference = call_difference(stem, found["loaded"]) if found else None
    return None if difference is None else difference.message


class _Proof:
    """Compares what both sides have computed."""

    def __init__(
        self, source: SourceFile, module: ConvertedModule, seen: Mapping[str, Any], wanted: Sequence[str]
    ) -> None:
        self.source = source
        self.module = module
        self.seen = seen
        self.wanted = wanted

    def outcomes(
        self, names: Sequence[str], task: Mapping[str, Any], scratch: Path, timeout: float
    ) -> list[ProofOutcome]:
        """Return the outcome of each block."""
        broken = {problem.owner: problem for problem in self.module.problems}
        runnable = [
            name
            for name in names
            if name not in broken and any("inputs" in call for call in self._facts(name).get("calls", ()))
        ]
        results: Mapping[str, Any] = {}
        if runnable and has_torch():
            sent = {
                "side": "torch",
                "text": self.module.text,
                "run": [block for name in runnable for block in self._blocks(name)],
                "memory": MEMORY * 2**20,
            }
            try:
                results = run_side({**task, **sent}, scratch, "torch.json", timeout=timeout * len(runnable))
            except SideFailedError as error:
                results = {self._stem(name): {"reason": str(error)} for name in runnable}
        return [self._outcome(name, broken, results, scratch) for name in names]

    def _facts(self, name: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.seen["blocks"].get(name, {})
        return found

    def _stem(self, name: str, number: int | None = None) -> str:
        """Return how the files of a block begin, or those of its run with another number in the constructor."""
        return f"block{self.wanted.index(name)}" + ("" if number is None else f"-other{number}")

    def _blocks(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the runs of a block: with its own arguments, and with other numbers."""
        facts = self._facts(name)
        block = {key: facts[key] for key in ("args", "kwargs", "inputs", "calls")}
        yield {**block, "name": name, "stem": self._stem(name)}
        for other in facts["others"]:
            own = {key: other[key] for key in ("kwargs", "calls")}
            yield {**block, **own, "name": name, "stem": self._stem(name, other["number"])}

    def _outcome(self, name: str, broken: Mapping[str, Any], results: Mapping[str, Any], scratch: Path) -> ProofOutcome:
        row = first_row(self.source, name)
        facts = self._facts(name)
        if name in broken:
            problem = broken[name]
            return self._not_run(name, row, f"line {problem.row} is not converted: {problem.reason}")
        if not facts.get("calls"):
            reason = facts.get("reason") or self.seen.get("failed") or "no inputs were found"
            return self._not_run(name, row, str(reason))
        if not any("inputs" in call for call in facts["calls"]):
            return self._not_run(name, row, f"it fails on the bundled runtime: {facts['calls'][0]['failure']}")
        if not has_torch():
            return self._not_run(name, row, NO_TORCH)
        found = results.get(self._stem(name)) or {"reason": "it was not run"}
        if "reason" in found:
            return self._refuted(name, row, facts, f"in PyTorch it fails: {found['reason']}")
        return self._compared(name, row, results, scratch)

    def _compared(self, name: str, row: int, results: Mapping[str, Any], scratch: Path) -> ProofOutcome:
        from hybridlint.converting.comparison import call_difference, has_totals

        facts, found = self._facts(name), results[self._stem(name)]
        only = [f"only for {restriction}" for restriction in facts["only"]]
        runs = 0
        modes: dict[str, None] = {}
        for number, (call, failure) in enumerate(zip(facts["calls"], found["failures"], strict=True)):
            if "inputs" not in call:
                continue
            if call["draws"]:
                only.append("not where it draws random numbers")
                continue
            if failure is not None:
                return self._refuted(name, row, facts, f"{_MODES[call['mode']]}: {failure}")
            stem = scratch / f"{self._stem(name)}-{number}"
            difference = call_difference(stem, found["loaded"])
            if difference is not None:
                return self._refuted(name, row, facts, f"{_MODES[call['mode']]}: {difference.message}", difference)
            if has_totals(stem):
                only.append(_TOTALS)
            runs += 1
            modes[_MODES[call["mode"]]] = None
        for other in facts["others"]:
            begin = self._stem(name, other["number"])
            reason = _failure_of_other(results.get(begin, {}), scratch / f"{begin}-0")
            if reason is not None:
                return self._refuted(name, row, facts, f"with {other['text']}: {reason}")
        if not runs:
            return self._not_run(name, row, "it draws random numbers, which differ in both libraries")
        if found["normalized"]:
            only.append(_UNBIASED)
        return ProofOutcome(
            self.source.path,
            name,
            row,
            ProofStatus.PROVED,
            "; ".join(dict.fromkeys([f"PyTorch equals MXNet {' and '.join(modes)}", *only])),
            setup=facts["setup"],
            runs=runs,
            gradients=True,
            only=tuple(dict.fromkeys(only)),
        )

    def _refuted(
        self, name: str, row: int, facts: Mapping[str, Any], reason: str, difference: ReportedDifference | None = None
    ) -> ProofOutcome:
        return ProofOutcome(
            self.source.path, name, row, ProofStatus.REFUTED, reason, difference=difference, setup=facts["setup"]
        )

    def _not_run(self, name: str, row: int, reason: str) -> ProofOutcome:
        return ProofOutcome(self.source.path, name, row, ProofStatus.NOT_RUN, reason)
