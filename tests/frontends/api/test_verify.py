"""`hybridlint.verify` and `hybridlint.assert_hybridizable`: what they say, and that they leave a block as it was."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridlint
import hybridlint.runtime as mx
from hybridlint.core.proof_outcome import ProofStatus
from hybridlint.frontends.api.live import LiveBlock
from hybridlint.proving.recording.child.run_record import RunRecord
from hybridlint.proving.recording.child.watch import Watcher
from hybridlint.runtime import autograd, nd
from hybridlint.runtime.gluon import nn

from .measured import REPORTS, summaries


def test_reports_are_those_under_mxnet() -> None:
    assert summaries(mx) == json.loads(REPORTS.read_text(encoding="utf-8"))


class Net(nn.HybridBlock):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dense, self.norm, self.dropout = nn.Dense(4), nn.BatchNorm(), nn.Dropout(0.5)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.dropout(self.norm(self.dense(x)))


class Rows(nn.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.sin(x[0])


def test_a_report_for_people() -> None:
    report = hybridlint.verify(Rows(), nd.array([[0.5, 1.0], [2.0, 3.0]]))
    assert report.status is ProofStatus.REFUTED
    assert not report
    here = Path(__file__)
    row = here.read_text(encoding="utf-8").splitlines().index("        return F.sin(x[0])") + 1
    code = "x[0]" if sys.version_info >= (3, 11) else "return F.sin(x[0])"
    assert str(report).splitlines() == [
        "Rows is refuted: compiled: output has shape (2, 2) instead of (2,)",
        f"  the runs part in line {row} at `{code}`: its result has shape (2, 2) instead of (2,) ({here})",
        "  on x (2, 2); N = 2, predict mode, the inputs as given",
    ]


def test_a_proof_for_people() -> None:
    assert str(hybridlint.verify(nn.Dense(2), nd.array([[0.5, 1.0]]))).splitlines() == [
        "Dense is proved: compiled = eager",
        "  on x (1, 2)",
        "  18 calls, each eager and compiled, static_alloc, exported and imported, another order",
        "  float16: the parameters of a block that is there are not cast",
    ]


@pytest.mark.parametrize("hybridized", [False, True])
def test_the_block_is_the_same_afterwards(hybridized: bool) -> None:
    net, x = Net(), nd.array([[0.5, 1.0, -1.0], [2.0, 3.0, 0.25]])
    net.initialize()
    if hybridized:
        net.hybridize(static_alloc=True)
    x.attach_grad()
    with autograd.record():
        net(x).sum().backward()
    random.seed(3)
    np.random.seed(4)
    before = list(_state(net, x))
    assert hybridlint.verify(net, x)
    for left, right in zip(before, _state(net, x), strict=True):
        np.testing.assert_array_equal(left, right)
    assert (random.random(), np.random.rand()) == (random.Random(3).random(), np.random.RandomState(4).rand())
    assert not autograd.is_recording()


@pytest.mark.parametrize("seed", [0, 4])
def test_a_gradient_that_rounding_alone_moves_refutes_nothing(seed: int) -> None:
    """With these parameters the gradients of two runs differ in float32, so that the block runs in float64 too."""
    mx.random.seed(seed)
    np.random.seed(seed)
    net, x = nn.HybridSequential(), nd.array([[0.25, -0.5, 1.0], [2.0, 0.125, -1.0]])
    net.add(nn.Dense(3, activation="tanh"), nn.Dense(4), nn.BatchNorm(), nn.Activation("relu"))
    net.initialize()
    assert hybridlint.verify(net, x), "proved"
    assert net(x).dtype == np.float32


def test_a_cast_is_taken_back_with_the_arrays_that_were_there() -> None:
    net, x = Net(), nd.array([[0.5, 1.0, -1.0], [2.0, 3.0, 0.25]])
    net.initialize()
    net(x)
    held = {name: (p.data(), p.data().asnumpy(), p.dtype) for name, p in net.collect_params().items()}
    block = LiveBlock(mx, net)
    block.keep()
    for stage in ("before another run", "at the end"):
        with block.lent():
            block.eager().cast("float64")
            assert net(x.astype("float64")).dtype == np.float64
            if stage == "before another run":
                assert block.eager()(x).dtype == np.float32
        for name, parameter in net.collect_params().items():
            array, values, dtype = held[name]
            assert (parameter.data() is array, parameter.dtype) == (True, dtype), (stage, name)
            np.testing.assert_array_equal(array.asnumpy(), values)
    with autograd.record():
        net(x).sum().backward()
    assert net.dense.weight.grad().dtype == np.float32


def test_a_block_of_several_dtypes_is_not_cast() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(3, in_units=2), nn.Embedding(4, 2, dtype="float64"))
    net.initialize()
    block = LiveBlock(mx, net)
    block.keep()
    assert not block.castable


def _state(net: Net, x: Any) -> Iterator[Any]:
    yield net._active, net._flags, net.dense._active, net.dense._flags
    yield from (parameter.data().asnumpy() for parameter in net.collect_params().values())
    yield from (p.grad().asnumpy() for p in net.collect_params().values() if p.grad_req != "null")
    yield x.grad.asnumpy()
    yield net(x).asnumpy()


def test_a_block_without_parameters_yet_is_initialized() -> None:
    net = Net()
    hybridlint.assert_hybridizable(net, nd.array([[0.5, 1.0, -1.0]]))
    assert net(nd.zeros((2, 3))).shape == (2, 4)


def test_an_assertion_brings_the_report() -> None:
    with pytest.raises(AssertionError, match="Rows is refuted: compiled: output has shape"):
        hybridlint.assert_hybridizable(Rows(), nd.array([[0.5], [1.0]]))
    with pytest.raises(AssertionError, match="Sequential is not proved: it is not a HybridBlock"):
        hybridlint.assert_hybridizable(nn.Sequential(), nd.ones((1, 2)))


def test_what_is_no_block() -> None:
    with pytest.raises(TypeError, match="expected a Gluon block, got a list"):
        hybridlint.verify([])
    with pytest.raises(TypeError, match="expected a Gluon block, got an int"):
        hybridlint.verify(3)
    with pytest.raises(TypeError, match=r"got the class Net: build one, Net\(...\)"):
        hybridlint.verify(Net)


def test_calls_of_a_proof_are_no_calls_of_the_program() -> None:
    book = RunRecord()
    with Watcher(mx, str(Path(__file__).parent), book).installed():
        assert hybridlint.verify(Net(), nd.array([[0.5, 1.0, -1.0]]))
    (built,) = book.blocks["test_verify.py:Net"]["built"]
    assert [call["count"] for call in built["calls"]] == [1]


def test_importing_hybridlint_imports_nothing_else() -> None:
    program = "import sys, hybridlint; print(*(n for n in sys.modules if n.startswith(('hybridlint', 'numpy'))))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "hybridlint"


def test_there_are_no_other_names() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'verfy'"):
        hybridlint.verfy  # type: ignore[attr-defined] # noqa: B018
