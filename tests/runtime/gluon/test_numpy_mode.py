"""Blocks in numpy mode: parameters and outputs are `mx.np.ndarray`, unknown sizes are -1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import gluon, np, npx
from hybridlint.runtime.gluon import nn
from tests.closeness import assert_same_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def numpy_mode() -> Iterator[None]:
    npx.set_np()
    yield
    npx.reset_np()


def network() -> Any:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="relu"), nn.BatchNorm(), nn.Dropout(0.5), nn.Dense(2))
    net.initialize(mx.init.Xavier())
    return net


def test_parameters_and_outputs_are_numpy_arrays() -> None:
    net = network()
    assert repr(net[0].weight).endswith("(shape=(4, -1), dtype=float32)")
    out = net(np.ones((3, 5)))
    assert isinstance(out, np.ndarray)
    assert isinstance(net[0].weight.data(), np.ndarray)
    net.hybridize()
    numpy.testing.assert_allclose(net(np.ones((3, 5))).asnumpy(), out.asnumpy(), rtol=1e-5, atol=1e-6)


def test_gradients_are_numpy_arrays() -> None:
    net = network()
    net.hybridize()
    with mx.autograd.record():
        loss = net(np.ones((3, 5))).sum()
    loss.backward()
    assert isinstance(net[0].weight.grad(), np.ndarray)


@pytest.mark.parametrize("name", ["L1Loss", "L2Loss", "SigmoidBCELoss"])
def test_losses_average_over_all_but_the_batch(name: str) -> None:
    loss = getattr(gluon.loss, name)()
    x, y = np.array([[0.5, -1.0], [2.0, 0.0]]), np.array([[1.0, 0.0], [1.0, 1.0]])
    eager = loss(x, y)
    loss.hybridize()
    assert eager.shape == (2,)
    assert_same_numbers(loss(x, y).asnumpy(), eager.asnumpy())


def test_an_exported_net_comes_back(tmp_path: Path) -> None:
    net, x = network(), np.ones((3, 5))
    net.hybridize()
    expected = net(x)
    net.export(str(tmp_path / "net"))
    back = gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params"))
    out = back(x)
    assert isinstance(out, np.ndarray)
    numpy.testing.assert_array_equal(out.asnumpy(), expected.asnumpy())
