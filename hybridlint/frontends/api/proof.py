"""Proofs of block instances: eager, compiled and exported runs, on the given inputs and on others."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np

from hybridlint.frontends.api.live import LiveBlock, mxnet_of, source_of
from hybridlint.frontends.api.report import Report, read_report
from hybridlint.proving.brief.writer import module_changes
from hybridlint.proving.child.build.arguments import ConstructorArguments, Within
from hybridlint.proving.child.comparison_evidence import ProofEvidence
from hybridlint.proving.child.errors import Failure, NotRunError, failure
from hybridlint.proving.child.judging.judge import judge_setup
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.proof_case import NOT_RUN, ProofCase, check_forward
from hybridlint.proving.child.runs.runs import flat_arrays
from hybridlint.proving.child.runs.setup import Setup, inputs_text
from hybridlint.proving.child.runs.variants import CHANGED, DOUBLE, HALF, BlockVersion
from hybridlint.proving.child.search.trial_runs import TrialRunner
from hybridlint.proving.child.specs.signatures import signature
from hybridlint.proving.child.specs.spec import BATCH, GivenSpec, Spec, ValueSpec, tensors, with_batch
from hybridlint.proving.recording.child.watch import suspend_recording

#: Random inputs for each size; the given inputs are the first of them.
SAMPLES = 3
#: What is left out of the proof of a block that is there.
_WITHOUT = {
    HALF.name: "the parameters of a block that is there are not cast",
    CHANGED.name: "the settings of a block that is there stay",
}
_UNCASTABLE = "its parameters have no single dtype to be cast back to"
_LIVE = ConstructorArguments([], {}, Within("live()", ()))


def verify(block: Any, *inputs: Any, timeout: float = 20.0) -> Report:
    """Run a block eagerly, compiled and exported, forward and backward, and report whether all runs agree.

    `inputs` are the arguments of the call: arrays, lists of arrays, or anything else the block takes. The block runs on
    them, on the same elements in another order, and with another size of the first axis if it runs eagerly on that.
    Uninitialized parameters are initialized; otherwise the block is left unchanged. After `timeout` seconds no further
    variant is started. Raises TypeError if `block` is not a block.
    """
    mx = mxnet_of(block)
    path, text = source_of(block)
    live = LiveBlock(mx, block)
    world = LoadedModule(mx, SimpleNamespace(live=live.eager, given=[]))
    specs: dict[str, Spec] = {}
    with live.lent(), _context(inputs):
        try:
            specs = _specs(world, block, inputs)
            _initialize(live, inputs, str(path))
            with suspend_recording():
                without = _WITHOUT if live.castable else {**_WITHOUT, DOUBLE: _UNCASTABLE}
                verdict = _verdict(world, block, specs, path=str(path), text=text, timeout=timeout, without=without)
        except NotRunError as error:
            verdict = {"status": NOT_RUN, "reason": error.reason, "add": error.add, "row": error.row}
    return read_report(type(block).__name__, path, inputs_text(specs), verdict)


def assert_hybridizable(block: Any, *inputs: Any, timeout: float = 20.0) -> None:
    """Raise AssertionError, with the report, unless `verify` proves the block on these inputs."""
    report = verify(block, *inputs, timeout=timeout)
    if not report:
        raise AssertionError(str(report))


def _verdict(
    world: LoadedModule,
    block: Any,
    specs: Mapping[str, Spec],
    *,
    path: str,
    text: str,
    timeout: float,
    without: Mapping[str, str],
) -> dict[str, Any]:
    case = ProofCase(
        path=path,
        before=BlockVersion("as it stands", world, type(block), text, module_changes(text)),
        after=None,
        samples=SAMPLES,
        limit=timeout,
        start=time.monotonic(),
        report_stage=lambda _stage: None,
        evidence=ProofEvidence(lambda _message, _arrays: None),
        without=without,
    )
    verdict = judge_setup(case, _setup(world, block, specs, path))
    return {**verdict, "call": _call_text(verdict.get("call"))}


def _initialize(live: LiveBlock, inputs: Sequence[Any], path: str) -> None:
    """Initialize the parameters, running the block if their shapes depend on the inputs. Raises NotRunError."""
    block = live.eager()
    try:
        block.initialize()
        block(*inputs)
    except Exception as error:
        found = failure(error, path)
        raise NotRunError(f"it does not run eagerly: {found.sentence}", None, found.row) from error
    live.keep()


def _specs(world: LoadedModule, block: Any, inputs: Sequence[Any]) -> dict[str, Spec]:
    """Return the specifications of the inputs by argument name. Raises NotRunError if the block is never compiled."""
    if not isinstance(block, world.mx.gluon.HybridBlock):
        raise NotRunError("it is not a HybridBlock, so hybridize() does not compile it")
    check_forward(type(block))
    takes = signature(block)
    names = [*takes.required, *takes.optional]
    return {
        names[k] if k < len(names) else f"input {k}": _spec(value, world.namespace["given"])
        for k, value in enumerate(inputs)
    }


def _spec(value: Any, others: list[Any]) -> Spec:
    if isinstance(value, (list, tuple)):
        return [_spec(item, others) for item in value]
    if hasattr(value, "asnumpy"):
        raw = value.asnumpy()
        return GivenSpec(raw.shape, raw.dtype.name, integers=_is_whole(raw), given=raw)
    if value is None or isinstance(value, (bool, int, float, str)):
        return ValueSpec(repr(value))
    others.append(value)
    return ValueSpec(f"given[{len(others) - 1}]")


def _is_whole(raw: Any) -> bool:
    """Whether an array holds only whole numbers, such as indices; those get no gradient, whatever their dtype."""
    if raw.dtype.kind != "f" or not raw.size:
        return bool(raw.dtype.kind in "iub")
    return bool((raw == np.floor(raw)).all() and (raw != raw.flat[0]).any())


def _setup(world: LoadedModule, block: Any, specs: Mapping[str, Spec], path: str) -> Setup:
    """Return the setup for the inputs, plus another batch size if that runs. Raises NotRunError."""
    lead = next((t.shape[0] for t in tensors(list(specs.values())) if t.shape), None)
    inputs = dict(specs)
    rounds: list[list[dict[str, int]]] = [[{}]]
    if isinstance(lead, int):
        inputs = {name: with_batch(spec, lead) for name, spec in specs.items()}
        rounds = [[{BATCH: lead}], [{BATCH: lead + 1}, {BATCH: max(lead - 1, 1)}]]
    found = TrialRunner(world, type(block), path).setup(_LIVE, inputs, rounds)
    if isinstance(found, Failure):
        raise NotRunError(f"it does not run eagerly: {found.sentence}", None, found.row)
    return found


def _call_text(text: str | None) -> str | None:
    """Return a phrase that says on which inputs the proof made a call."""
    if text is None:
        return None
    call, _, number = text.rpartition("random inputs ")
    return f"{call}{'the inputs as given' if number == '1' else 'the elements in another order'}"


def _context(inputs: Sequence[Any]) -> Any:
    """Return the device of the first array; new arrays are created there."""
    for value in flat_arrays(inputs):
        return value.context
    return nullcontext()
