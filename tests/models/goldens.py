"""Ask the real MXNet 1.9.1 what whole models compute and which files they become; keep the answers beside this file.

    PYTHON_WITH_MXNET -m tests.models.goldens

It fails where the real library does not agree with itself. Arrays are kept as their norm and their products with a few
random vectors, which stray as far as the array does. The files are those of the model in float32; everything else is
computed in the dtype of the case, and once more in float32. This file runs in both interpreters, so it stays within
Python 3.8.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from . import architectures, scenario

ANSWERS = Path(__file__).parent / "goldens.json"

#: How far arrays may be from MXNet's, relative to their norm. In float64: it rounds the parameters of operators to
#: float32, by which 1 - 0.9, the weight of a batch in running statistics, is apart by 3e-7. In float32: twenty layers
#: of sums of up to 600 products, whose roundings of 6e-8 add up as random ones do: 20 * sqrt(600) * 6e-8 is 3e-5.
NEAR = {"float32": 1e-4, "float64": 1e-6}

#: How far losses may be, relatively. In float64: 1 - 0.999, of Adam, is apart by 3e-5, and its root by half of that.
NEAR_LOSSES = {"float32": 1e-3, "float64": 3e-5}

FILES = ("saved.params", "exported-symbol.json", "exported-0000.params")


def summarize(array: Any) -> list[float]:
    """Return the norm of an array and its products with random vectors of unit length in the mean."""
    values = array.astype("float64").ravel()
    vectors = np.random.RandomState(values.size % 1000).normal(size=(3, values.size))
    return [float(f"{v:.11g}") for v in (np.linalg.norm(values), *vectors.dot(values))]


def distance(left: list[float], right: list[float]) -> float:
    """Return how far two summaries are apart, relative to the norm of the first."""
    return max(abs(a - b) for a, b in zip(left, right)) / max(left[0], 1e-6)  # noqa: B905 - Python 3.8 has no strict


def digests(folder: Path) -> dict[str, str]:
    """Return a fingerprint of each file that a model was written to."""
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest()[:32] for name in FILES}


def answer(mx: Any, case: Any) -> dict[str, Any]:
    """Measure a model; raise AssertionError where modes, files or float32 change what it computes."""
    found = scenario.outputs_and_gradients(mx, scenario.build(mx, case, dtype=case.dtype), case, case.dtype)
    kept = {name: summarize(array) for name, array in found.items()}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scenario.write_files(mx, case, folder)
        fingerprints = digests(folder)
        others = [scenario.build(mx, case, mode, case.dtype) for mode in scenario.MODES]
        others += [scenario.imported(mx, case, folder), scenario.loaded(mx, case, folder)]
    for net in others:
        agree(kept, scenario.outputs_and_gradients(mx, net, case, case.dtype), NEAR[case.dtype] / 10)
    single = scenario.outputs_and_gradients(mx, scenario.build(mx, case), case)
    agree(kept, continuous(single, case), NEAR["float32"] / 10)
    losses = {optimizer: scenario.losses(mx, case, optimizer) for optimizer in scenario.OPTIMIZERS}
    rounded = {optimizer: [float(f"{loss:.11g}") for loss in row] for optimizer, row in losses.items()}
    return {"arrays": kept, "losses": rounded, "files": fingerprints}


def agree(kept: dict[str, list[float]], found: dict[str, Any], near: float) -> None:
    """Raise AssertionError where arrays are farther from what is kept."""
    worst = max(distance(kept[name], summarize(array)) for name, array in found.items())
    print(f"{worst:.1e}", flush=True)
    assert worst < near, worst


def continuous(found: dict[str, Any], case: Any) -> dict[str, Any]:
    """Return the arrays that follow from parameters and inputs without a jump: all but gradients beside a kink."""
    jumps = ("gradient ", "input") if case.kinks else ()
    return {name: array for name, array in found.items() if not name.startswith(jumps)}


def main() -> None:
    """Write all answers."""
    mxnet = importlib.import_module("mxnet")
    lines = [
        f'"{name}": {json.dumps(answer(mxnet, case), sort_keys=True)}' for name, case in architectures.CASES.items()
    ]
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
