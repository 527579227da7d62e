"""Runs every generated kernel of whole networks without a GPU: as C++ beside numpy, and through NVRTC.

    python -m tests.runtime.gpu.cuda.zoo [--only cpu|nvrtc] [--every] [--jobs 2] [--size 224] [--batch 2] [NAME ...]

Without names it takes Gluon's zoo and the models of `tests/models`: predicting, and training forward and backward.
As C++ each graph must give what numpy gives. NVRTC compiles one kernel of each form, to PTX and to code of the machine
for three generations; with `--every` each kernel, to PTX. It takes an hour, and prints a line for each graph: the nodes
that have no kernel, launches and products of cuBLAS, and how far results are apart, beside the largest of an array. The
exit status is 1 if something does not compile or is not near.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from hybridlint.runtime import random
from hybridlint.runtime.compiled.engines.choice import PLAIN
from hybridlint.runtime.compiled.engines.cuda.kernels import MatrixProduct
from hybridlint.runtime.platforms.protocol import Raw
from tests.models.architectures import CASES
from tests.runtime.gpu.cuda.devices import NoCode, compiled, run
from tests.runtime.gpu.cuda.networks import Run, runs, zoo_names
from tests.runtime.gpu.cuda.nvrtc import ARCHITECTURES, INSTALLED, assert_ptx
from tests.runtime.gpu.cuda.shim import COMPILER, Shim
from tests.runtime.gpu.cuda.sources import forms, kernels, module

#: So far may results be apart, beside the largest of an array, that were rounded in another order in each layer: in
#: 152 layers with normalizations over 49 numbers each, numpy's float32 is 4e-3 from float64, and so are the kernels.
NEAR = 1e-2
_TOGETHER = 100


def looked_at(name: str, *, size: int | None, batch: int, computes: bool) -> tuple[list[str], set[str], bool]:
    """Return a line for each graph of a network, the texts of its kernels, and whether all results are near."""
    lines, texts, near = [], set[str](), True
    for found in runs(name, size, batch):
        executor = compiled(found.graph, NoCode(), training=found.training)
        texts |= set(kernels(executor.source))
        apart = distance(found) if computes else 0.0
        near = near and apart <= NEAR
        actions = executor._program.actions if executor._program else []
        products = sum(isinstance(action, MatrixProduct) for action in actions)
        left = Counter(node.op.name for step in executor.steps if step.engine != "cuda" for node in step.nodes)
        told = ", ".join(f"{count} {op}" for op, count in left.items()) or "none"
        line = f"{found.name}: {len(found.graph.nodes)} nodes, without a kernel {told}; "
        line += f"{len(actions) - products} launches, {products} products"
        lines.append(f"{line}; apart {apart:.1e}" if computes else line)
    return lines, texts, near


def distance(found: Run) -> float:
    """Return how far generated kernels and numpy are apart, each result beside the largest number in it."""
    arrays = found.arrays()
    random.seed(5)
    expected = PLAIN.compile(found.graph, training=found.training)(arrays)
    random.seed(5)
    results = run(compiled(found.graph, Shim(optimized=True), training=found.training), arrays)
    least = float(np.median([_largest(array) for array in expected])) / 10
    return max((_apart(one, other, least) for one, other in zip(results, expected, strict=True)), default=0.0)


def _apart(found: Raw, expected: Raw, least: float) -> float:
    """Return how far an array is from another one, beside the largest number in it.

    Gradients that cancel out but for rounding, as those of a shift before a normalization, are beside the `least`.
    """
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    if not np.isfinite(found).all():
        return float("inf")
    return _largest(found.astype("float64") - expected) / (max(_largest(expected), least) or 1)


def _largest(array: Raw) -> float:
    return float(np.abs(array).max(initial=0))


def refused(work: tuple[str, Sequence[str]], *, machine_code: bool) -> str | None:
    """Return what NVRTC says of kernels that it refuses for a generation; None if it compiles them."""
    architecture, texts = work
    try:
        assert_ptx(*module(texts), architecture, machine_code=machine_code)
    except AssertionError as error:
        return f"{architecture}: {error}"
    return None


def _in_turn(pool: ProcessPoolExecutor, work: Callable[..., Any], items: Iterable[Any]) -> Iterator[Any]:
    for done in [pool.submit(work, item) for item in items]:
        yield done.result()


def main(arguments: list[str] | None = None) -> int:
    """Look at the networks that are named, and print what was found."""
    parser = argparse.ArgumentParser(description="Run every generated kernel of whole networks without a GPU.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="networks of Gluon's zoo, and of tests/models")
    parser.add_argument("--only", choices=("cpu", "nvrtc"), help="run them as C++, or compile them by NVRTC")
    parser.add_argument("--every", action="store_true", help="compile every kernel by NVRTC, not one of each form")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--size", type=int, help="of the zoo's pictures, 224 by default and 299 for inceptionv3")
    parser.add_argument("--batch", type=int, default=2, help="pictures at a time")
    given = parser.parse_args(arguments)
    known = [*CASES, *zoo_names()]
    unknown = [name for name in given.names if name not in known]
    if unknown:
        parser.error(f"there is no network {unknown[0]}: choose {', '.join(known)}")
    if given.only != "nvrtc" and COMPILER is None:
        parser.error("there is no g++, which compiles kernels as C++")
    if given.only != "cpu" and not INSTALLED:
        parser.error("NVRTC is not installed: pip install --editable '.[nvrtc]'")
    texts, fine = set[str](), True
    with ProcessPoolExecutor(given.jobs) as pool:
        look = partial(looked_at, size=given.size, batch=given.batch, computes=given.only != "nvrtc")
        for lines, found, near in _in_turn(pool, look, given.names or known):
            print("\n".join(lines), flush=True)
            texts |= found
            fine = fine and near
        if given.only != "cpu":
            chosen = sorted(texts) if given.every else forms(texts)
            parts = [chosen[k : k + _TOGETHER] for k in range(0, len(chosen), _TOGETHER)]
            work = [(architecture, part) for architecture in ARCHITECTURES for part in parts]
            told = list(filter(None, _in_turn(pool, partial(refused, machine_code=not given.every), work)))
            print(f"{len(texts)} kernels of {len(forms(texts))} forms; {len(chosen)} compiled", *told, sep="\n")
            fine = fine and not told
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
