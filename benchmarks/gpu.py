"""Check and time what runs on a GPU: operators beside the CPU, each way to run, and memory over many calls.

    python benchmarks/gpu.py [--minutes 8] [--state FILE] [--fresh] [PART ...]

It needs a GPU of NVIDIA with its driver, and CuPy: `pip install -e '.[test,cuda12]'`. Without one it says what is
missing and ends with status 2. What is done is kept in a file, so that it goes on where it was broken off; what no time
was left for is named. At the end it prints what is known.

    tests        the tests of GPUs, those that skip without one among them, and of proofs on them
    proof        `hybridlint verify --device gpu` of a few blocks, in its sandbox
    operators    every operator's samples, forward and backward, on the GPU and on the CPU
    copy         the bandwidth of a copy, for the workload of elements
    workloads    six workloads at batch sizes 1, 32 and 256, by each way to run and eagerly
    memory       memory in use over 10,000 calls of a captured and of an eager network
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from workloads import attention_block, elementwise, lenet, lstm, mlp  # noqa: E402

import hybridlint.runtime as mx  # noqa: E402
from hybridlint.runtime.compiled.engines.cuda.engine_fallback import EAGER, GRAPH, LINE, SEGMENTS, VARIABLE  # noqa: E402
from hybridlint.runtime.platforms.devices import devices  # noqa: E402
from tests.models.architectures import resnet18  # noqa: E402

BATCHES = (1, 32, 256)
#: The ways that are timed; `plain` is no way to run a graph but the network that is not hybridized.
PLAIN = "plain"
TIMED = (GRAPH, SEGMENTS, LINE, EAGER, PLAIN)
_STATE = ROOT / "build" / "gpu.json"
TESTED = (
    "tests/runtime/gpu/test_device.py",
    "tests/runtime/gpu",
    "tests/proving/test_devices.py",
)
#: What is proved on the GPU.
BLOCKS = """\
from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.body = nn.HybridSequential()
        self.body.add(nn.Conv2D(8, 3, activation="relu"), nn.BatchNorm(), nn.GlobalAvgPool2D(), nn.Dense(4))

    def hybrid_forward(self, F, x):
        return F.log_softmax(self.body(x))
"""
#: Bytes that are copied to measure bandwidth, and calls over which memory may not grow.
_COPIED = 1 << 28
_CALLS = 10_000
#: So much do results on a GPU differ that adds up in another order, beside the largest of an array.
_NEAR = 1e-4

Shapes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Workload:
    """A network for a batch size, and the shapes of its inputs."""

    build: Callable[[int], Any]
    shapes: Callable[[int], Shapes]


WORKLOADS = {
    "mlp": Workload(lambda _: mlp(mx), lambda b: ((b, 512),)),
    "lenet": Workload(lambda _: lenet(mx), lambda b: ((b, 1, 28, 28),)),
    "elementwise": Workload(lambda _: elementwise(mx), lambda b: ((b * 32, 1024),) * 2),
    "resnet18": Workload(lambda _: resnet18(mx), lambda b: ((b, 3, 224, 224),)),
    "attention": Workload(lambda b: attention_block(mx, batch=b), lambda b: ((b, 128, 256),)),
    "lstm": Workload(lambda _: lstm(mx), lambda b: ((35, b, 200), (1, b, 200), (1, b, 200))),
}


class Part:
    """A part of the work: results by name, those that are known already among them, until time is over."""

    def __init__(self, known: dict[str, Any], until: float, keep: Callable[[], None]) -> None:
        self.results = known
        self._until = until
        self._keep = keep
        self.left: list[str] = []

    def each(self, name: str, work: Callable[[], Any]) -> None:
        """Do a piece of the work, unless it is done or no time is left. What fails is a result too."""
        if name in self.results:
            return
        if time.monotonic() > self._until:
            self.left.append(name)
            return
        try:
            self.results[name] = work()
        except Exception as error:
            # One that fails must not hide the others.
            self.results[name] = {"failed": f"{type(error).__name__}: {error}".splitlines()[0]}
        self._keep()


def tests(part: Part) -> None:
    """Run the tests of GPUs, and keep how many passed, failed and were skipped."""
    for place in TESTED:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", place]
        part.each(place, lambda command=command: last_line(command))


def proof(part: Part) -> None:
    """Prove blocks on the GPU, and keep what is said of them."""

    def outcome() -> str:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "net.py").write_text(BLOCKS, encoding="utf-8")
            command = [sys.executable, "-m", "hybridlint", "verify", "--device", "gpu", folder]
            return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False).stdout.strip()

    part.each("verify --device gpu", outcome)


def last_line(command: list[str]) -> str:
    """Return the last line of what a command prints."""
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    return (done.stdout.strip() or done.stderr.strip() or f"it ended with {done.returncode}").splitlines()[-1]


def operators(part: Part) -> None:
    """Compare every operator's samples with the CPU."""
    from hybridlint.runtime.util import np_shape
    from tests.runtime.compiled.test_samples import cases
    from tests.runtime.gpu.test_operators import computed

    def compared(operator: Any, sample: Any) -> float:
        with np_shape(True):
            on_cpu, on_gpu = (computed(operator, sample, ctx) for ctx in (mx.cpu(), mx.gpu(0)))
        if operator.random:
            return 0.0
        assert len(on_cpu) == len(on_gpu)
        return max((_apart(a, b) for a, b in zip(on_gpu, on_cpu, strict=True)), default=0.0)

    for number, case in enumerate(cases(lambda operator, sample: True)):
        operator, sample = case.values
        part.each(f"{operator.name} {number}", lambda operator=operator, sample=sample: compared(operator, sample))


def _apart(found: Any, expected: Any) -> float:
    """Return how far results are apart, beside the largest of them."""
    if isinstance(expected, str) or isinstance(found, str):
        return 0.0 if found == expected else float("inf")
    if (found.shape, found.dtype) != (expected.shape, expected.dtype):
        return float("inf")
    if expected.dtype.kind not in "fc":
        return 0.0 if (found == expected).all() else float("inf")
    finite = np.isfinite(expected)
    if not (np.isfinite(found) == finite).all():
        return float("inf")
    if not finite.any():
        return 0.0
    one, other = found[finite].astype("float64"), expected[finite].astype("float64")
    return float(np.abs(one - other).max() / max(1.0, float(np.abs(other).max())))


def copy(part: Part) -> None:
    """Measure the bandwidth of a copy in bytes a second, those read and those written counted."""

    def measured() -> float:
        platform = devices().platform(0)
        with platform.computing():
            source, target = platform.reserve(_COPIED), platform.reserve(_COPIED)
            return 2 * _COPIED / least_seconds(lambda: platform.xp.copyto(target, source))

    part.each("bytes a second", measured)


def workloads(part: Part) -> None:
    """Time each workload by each way, predicting."""
    for name, workload in WORKLOADS.items():
        for batch in BATCHES:
            for way in TIMED:
                part.each(f"{name} {batch} {way}", lambda w=workload, b=batch, way=way: timed(w, b, way))


def timed(workload: Workload, batch: int, way: str) -> dict[str, Any]:
    """Return the least seconds of a call, and the way that was taken."""
    with first_way(way):
        net, inputs = made(workload, batch, way)
        seconds = least_seconds(lambda: net(*inputs))
        taken = PLAIN if way == PLAIN else net.explain().graphs[0].executor.ways[-1].name
    return {"seconds": seconds, "taken": taken}


def made(workload: Workload, batch: int, way: str) -> tuple[Any, list[Any]]:
    """Return a network on the GPU, which has been called, and its inputs."""
    mx.random.seed(1)
    generator = np.random.default_rng(1)
    net = workload.build(batch)
    net.initialize(mx.init.Xavier(), ctx=mx.gpu(0))
    inputs = [mx.nd.array(generator.normal(size=shape), ctx=mx.gpu(0)) for shape in workload.shapes(batch)]
    if way != PLAIN:
        net.hybridize(static_alloc=True, static_shape=True)
    for _ in range(3):
        net(*inputs)
    mx.nd.waitall()
    return net, inputs


@contextmanager
def first_way(way: str) -> Iterator[None]:
    """Name the first way to try within a ``with`` block."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = EAGER if way == PLAIN else way
    try:
        yield
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before


def least_seconds(work: Callable[[], Any], slices: int = 7) -> float:
    """Return the least time of a call, by the device's own events where it has some."""
    platform = devices().platform(0)
    count, least = 1, float("inf")
    for number in range(slices + 1):
        seconds = _elapsed(platform, work, count)
        if number == 0:
            count = max(1, min(1000, int(0.02 / max(seconds, 1e-7))))
        else:
            least = min(least, seconds / count)
    return least


def _elapsed(platform: Any, work: Callable[[], Any], count: int) -> float:
    """Return the seconds that so many calls take on the device."""
    cuda = getattr(platform.xp, "cuda", None) if hasattr(platform.xp, "RawModule") else None
    platform.wait()
    if cuda is None:
        begin = time.perf_counter()
        for _ in range(count):
            work()
        platform.wait()
        return time.perf_counter() - begin
    with platform.computing():
        first, last = cuda.Event(), cuda.Event()
        first.record()
        for _ in range(count):
            work()
        last.record()
        last.synchronize()
        return float(cuda.get_elapsed_time(first, last)) / 1000


def memory(part: Part) -> None:
    """Measure how much memory in use grows over many calls."""
    for way in (GRAPH, PLAIN):
        part.each(way, lambda way=way: grown(way))


def grown(way: str, calls: int = _CALLS) -> int:
    """Return by how many bytes the memory in use has grown over calls with arrays that are new each time."""
    workload = WORKLOADS["mlp"]
    with first_way(way):
        net, inputs = made(workload, 32, way)
        data = inputs[0].asnumpy()
        before = used()
        for number in range(calls):
            net(mx.nd.array(data, ctx=mx.gpu(0)) if number % 10 == 0 else inputs[0])
        mx.nd.waitall()
        return used() - before


def used() -> int:
    """Return the bytes of the GPU that are in use."""
    free, total = devices().memory(0)
    return total - free


PARTS: dict[str, Callable[[Part], None]] = {
    "tests": tests,
    "proof": proof,
    "operators": operators,
    "copy": copy,
    "workloads": workloads,
    "memory": memory,
}


def told(state: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield what is known in words, with a table of the workloads."""
    for name, said in {**state.get("tests", {}), **state.get("proof", {})}.items():
        yield f"{name}: {said}"
    found = state.get("operators", {})
    wrong = {name: how for name, how in found.items() if isinstance(how, dict) or not how <= _NEAR}
    yield f"{len(found)} samples of operators on the GPU, {len(wrong)} of them not as on the CPU"
    yield from (f"  {name}: {how}" for name, how in wrong.items())
    yield f"copy: {state.get('copy', {}).get('bytes a second')} bytes a second"
    yield "| workload | batch | " + " | ".join(TIMED) + " |"
    yield "| --- | --- |" + " --- |" * len(TIMED)
    times = state.get("workloads", {})
    for name in WORKLOADS:
        for batch in BATCHES:
            cells = [_cell(times.get(f"{name} {batch} {way}"), way) for way in TIMED]
            yield f"| {name} | {batch} | {' | '.join(cells)} |"
    for way, growth in state.get("memory", {}).items():
        yield f"memory over {_CALLS} calls, {way}: {growth} bytes more"


def _cell(found: Any, way: str) -> str:
    """Return a time in microseconds, with the way that was taken where it is another."""
    if not isinstance(found, dict) or "seconds" not in found:
        return "" if found is None else str(found["failed"])
    microseconds = f"{found['seconds'] * 1e6:.1f}"
    return microseconds if found["taken"] == way else f"{microseconds} ({found['taken']})"


def main(arguments: list[str] | None = None) -> int:
    """Do what is left of the parts, and print what is known."""
    parser = argparse.ArgumentParser(description="Check and time what runs on a GPU.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--minutes", type=float, default=8, help="begin nothing after so many minutes")
    parser.add_argument("--state", type=Path, default=_STATE, help="where results are kept")
    parser.add_argument("--fresh", action="store_true", help="forget what is kept")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.parts if name not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]}: choose {', '.join(PARTS)}")
    lacking = devices().missing()
    if lacking is not None:
        print(f"benchmarks/gpu.py needs a GPU of NVIDIA, its driver and CuPy: {lacking}", file=sys.stderr)
        return 2
    kept = given.state
    state: dict[str, dict[str, Any]] = {}
    if kept.exists() and not given.fresh:
        state = json.loads(kept.read_text(encoding="utf-8"))

    def keep() -> None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(state, indent=1), encoding="utf-8")

    until = time.monotonic() + 60 * given.minutes
    left: list[str] = []
    for name in given.parts or PARTS:
        part = Part(state.setdefault(name, {}), until, keep)
        PARTS[name](part)
        left += [f"{name}: {piece}" for piece in part.left]
    print("\n".join(told(state)))
    if left:
        print(f"no time was left for {len(left)} pieces, the first of them {left[0]}: run it again", file=sys.stderr)
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
