"""The engine `onnx`: what it writes as models, what it leaves to the plain engine, and what it says of both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import autograd, nd
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.engines.choice import chosen_engine
from hybridlint.runtime.compiled.engines.onnx import executor, session
from hybridlint.runtime.gluon import HybridBlock, nn

with_onnx = pytest.mark.skipif(not session.is_installed(), reason="the engine onnx needs the extra [onnx]")


def told(net: Any) -> list[tuple[str, list[str], str | None]]:
    (graph, *_) = net.explain().graphs
    return [(step.engine, [node.op.name for node in step.nodes], step.reason) for step in graph.executor.steps]


class Mixed(HybridBlock):
    """Has an operator without a translation between others."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.tanh(F.linalg.gelqf(F.exp(x))[1]), x


@with_onnx
def test_a_network_is_one_model_and_predicts_what_it_does_eagerly() -> None:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3), nn.BatchNorm(), nn.Activation("relu"), nn.GlobalAvgPool2D(), nn.Dense(3))
    net.initialize()
    x = nd.array(np.random.default_rng(3).standard_normal((2, 3, 8, 8)))
    expected = net(x).asnumpy()
    net.hybridize(backend="onnx")
    np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)
    assert [(engine, reason) for engine, _, reason in told(net)] == [("onnx", None)]
    assert "by ONNX Runtime" in str(net.explain())


@with_onnx
def test_what_has_no_translation_is_left_to_the_plain_engine() -> None:
    net, x = Mixed(), nd.array([[0.5, -1.0, 2.0], [1.0, 0.25, 0.0]])
    expected = [y.asnumpy() for y in net(x)]
    net.hybridize(backend="onnx")
    for found, wanted in zip(net(x), expected, strict=True):
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    assert [engine for engine, _, _ in told(net)] == ["onnx", "numpy", "onnx"]
    reason = "not in ONNX: _linalg_gelqf: no translation of it is known"
    assert told(net)[1] == ("numpy", ["_linalg_gelqf"], reason)
    assert reason in str(net.explain())


@with_onnx
def test_results_are_arrays_of_their_own() -> None:
    class Same(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            y = x + 1
            return x, y, y, F.identity(y)

    net, x = Same(), nd.ones((2, 2))
    net.hybridize(backend="onnx")
    outputs = net(x)
    outputs[1][:] = 7
    assert [float(y[0, 0].asscalar()) for y in (x, *outputs)] == [1, 1, 7, 2, 2]


@with_onnx
def test_models_do_not_train_and_gradients_are_right() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="tanh"), nn.Dropout(0.5), nn.Dense(1))
    net.initialize()
    x = nd.array([[0.5, -1.0], [2.0, 0.25]])
    x.attach_grad()
    with autograd.record(train_mode=False):
        net(x).backward()
    wanted = x.grad.asnumpy()
    net.hybridize(backend="onnx")
    with autograd.record(train_mode=False):
        net(x).backward()
    np.testing.assert_allclose(x.grad.asnumpy(), wanted, rtol=1e-5)
    with autograd.record():
        net(x).backward()
    steps = {step.reason for graph in net.explain().graphs for step in graph.executor.steps}
    assert any(reason is not None and reason.startswith("not in ONNX: Dropout: ") for reason in steps)


@with_onnx
def test_a_model_that_onnx_runtime_refuses_is_run_by_the_plain_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise session.Refused("there is no kernel for Tanh(13)")

    monkeypatch.setattr(executor, "OnnxSession", type("Session", (session.OnnxSession,), {"__init__": refuse}))
    net = nn.Activation("tanh")
    net.hybridize(backend="onnx")
    assert net(nd.zeros((2, 2))).asnumpy().tolist() == [[0, 0], [0, 0]]
    assert [(engine, reason) for engine, _, reason in told(net)] == [
        ("numpy", "not in ONNX: there is no kernel for Tanh(13)")
    ]


@with_onnx
def test_a_failure_at_run_time_is_an_mxnet_error() -> None:
    class Wrong:
        def run(self, *_: Any) -> None:
            raise RuntimeError("[ONNXRuntimeError] : out of\nmemory")

    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize(backend="onnx")
    net(nd.ones((1, 3)))
    (graph,) = net.explain().graphs
    made: Any = graph.executor
    (work,) = made.work
    work._session = Wrong()
    with pytest.raises(MXNetError, match=r"^ONNX Runtime fails: \[ONNXRuntimeError\] : out of memory$"):
        net(nd.ones((1, 3)))


def test_without_the_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "PACKAGES", ("onnx", "no_such_package"))
    with pytest.raises(MXNetError, match=r"^the engine 'onnx' needs onnx and onnxruntime: pip install 'hybridlint\["):
        chosen_engine("onnx")
    assert chosen_engine("auto").name != "onnx"
