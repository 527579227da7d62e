"""The proof of a converted network: the bundled runtime and PyTorch predict on the same inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hybridlint.converting.comparison import call_difference, moved_by_rounding
from hybridlint.converting.graph_module import ConvertedNetwork
from hybridlint.converting.graph_reading import ExportedNetwork
from hybridlint.converting.proof import MEMORY, NO_TORCH, has_torch
from hybridlint.converting.sandboxed import SideFailedError, run_side
from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.scratch import scratch_folder
from hybridlint.runtime import autograd, gluon, nd, sym
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.facts.records import replace

#: Sides of images, and numbers of examples, that are tried where the network leaves them open.
_SIDES, _BATCH = (32, 64, 128, 224, 299, 512), 2
_PREDICT = "predict, recorded"


def prove_network(
    network: ExportedNetwork,
    converted: ConvertedNetwork,
    path: Path,
    shapes: Mapping[str, tuple[int, ...]],
    timeout: float,
) -> ProofOutcome:
    """Return the outcome of a converted network, which both libraries run on the same random inputs."""

    def outcome(status: ProofStatus, reason: str, **more: Any) -> ProofOutcome:
        return ProofOutcome(path, converted.name, 1, status, reason, **more)

    if converted.problems:
        first = converted.problems[0]
        return outcome(ProofStatus.NOT_RUN, f"{first.owner} is not converted: {first.reason}")
    expected = _predicted(network, shapes)
    if expected is None:
        return outcome(
            ProofStatus.NOT_RUN, "no inputs were found", add="Give their shapes: `--input data=1,3,224,224`."
        )
    if not has_torch():
        return outcome(ProofStatus.NOT_RUN, NO_TORCH)
    inputs, outputs = expected
    setup = " on " + ", ".join(f"{name} {inputs[name].shape}" for name in network.inputs)
    with scratch_folder() as scratch:
        np.savez(scratch / "state.npz", **dict(converted.state))
        _write(scratch, network, inputs, outputs)
        call = {
            "call": "",
            "mode": _PREDICT,
            "inputs": [{"array": str(k), "integers": False} for k in range(len(network.inputs))],
        }
        block = {"name": converted.name, "stem": "network", "args": [], "kwargs": {}, "inputs": [], "calls": [call]}
        task = {
            "side": "torch",
            "text": converted.text,
            "run": [{**block, "state": "state.npz"}],
            "memory": MEMORY * 2**20,
            "roots": [],
            "project": str(path.parent),
            "device": "cpu",
        }
        try:
            found = run_side(task, scratch, "torch.json", timeout=timeout)["network"]
        except SideFailedError as error:
            found = {"reason": str(error)}
        failure = found.get("reason") or found["failures"][0]
        if failure is not None:
            return outcome(ProofStatus.REFUTED, f"in PyTorch it fails: {failure}", setup=setup)
        difference = call_difference(scratch / "network-0", ())
        if difference is not None and difference.largest_absolute is not None:
            # How far the results move with the weights is the network's own rounding error.
            _write(scratch, network, inputs, outputs, _results(_moved(network), inputs))
            difference = call_difference(scratch / "network-0", ())
    if difference is not None:
        return outcome(ProofStatus.REFUTED, f"predicting: {difference.message}", difference=difference, setup=setup)
    return outcome(ProofStatus.PROVED, "PyTorch equals MXNet predicting", setup=setup)


def _write(
    scratch: Path,
    network: ExportedNetwork,
    inputs: Mapping[str, Any],
    outputs: list[Any],
    moved: list[Any] | None = None,
) -> None:
    paths = ["output"] if len(outputs) == 1 else [f"output[{k}]" for k in range(len(outputs))]
    arrays: dict[str, Any] = {f"in {k}": inputs[name] for k, name in enumerate(network.inputs)}
    arrays |= {f"out {path}": array for path, array in zip(paths, outputs, strict=True)}
    if moved is not None:
        gaps = (np.abs(array.astype("float64") - other) for array, other in zip(outputs, moved, strict=True))
        arrays |= {f"noise {path}": gap.max(initial=0) for path, gap in zip(paths, gaps, strict=True)}
    np.savez(scratch / "network-0.npz", **arrays)


def _predicted(
    network: ExportedNetwork, shapes: Mapping[str, tuple[int, ...]]
) -> tuple[dict[str, Any], list[Any]] | None:
    """Return inputs and outputs of a run on the bundled runtime, None if no inputs run."""
    for sizes in _sizes(network, shapes):
        rng = np.random.RandomState(0)
        inputs = {name: rng.uniform(-1, 1, shape).astype("float32") for name, shape in sizes.items()}
        try:
            return inputs, _results(network, inputs)
        except (MXNetError, ValueError, TypeError):
            continue
    return None


def _results(network: ExportedNetwork, inputs: Mapping[str, Any]) -> list[Any]:
    """Return the outputs of a network on the bundled runtime."""
    labels = [name for name in network.symbol.list_inputs() if name not in network.arrays]
    block = gluon.SymbolBlock(network.symbol, [sym.var(name) for name in labels])
    for name, parameter in block.collect_params().items():
        array = network.arrays[name]
        parameter.shape = array.shape
        parameter.initialize(init="zeros")
        parameter.set_data(nd.array(array, dtype=array.dtype.name))
    batch = len(next(iter(inputs.values())))
    given = [nd.array(inputs.get(name, np.zeros(batch, "float32"))) for name in labels]
    with autograd.predict_mode():
        results = block(*given)
    return [array.asnumpy() for array in (results if isinstance(results, (list, tuple)) else [results])]


def _moved(network: ExportedNetwork) -> ExportedNetwork:
    """Return a network whose weights are moved by one rounding each, up or down."""
    return replace(network, arrays=moved_by_rounding(network.arrays))


def _sizes(network: ExportedNetwork, shapes: Mapping[str, tuple[int, ...]]) -> Iterator[dict[str, tuple[int, ...]]]:
    """Yield shapes of the inputs to try."""
    nodes = {node.name: node for node in network.nodes if node.op is None}
    for side in _SIDES:
        found: dict[str, tuple[int, ...]] = {}
        for name in network.inputs:
            shape = shapes.get(name) or network.shape((nodes[name], 0))
            if shape is None:
                return
            found[name] = tuple(
                size if isinstance(size, int) else _BATCH if axis == 0 else side for axis, size in enumerate(shape)
            )
        yield found
        if all(isinstance(size, int) for shape in found.values() for size in shape) and all(
            name in shapes for name in network.inputs
        ):
            return
