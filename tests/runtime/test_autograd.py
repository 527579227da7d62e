"""The tape: scopes, gradients and how they are kept, graphs that live on, higher orders, users' own gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import autograd, init, nd
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.gluon import nn
from hybridlint.runtime.ndarray.ndarray import NDArray
from tests.closeness import assert_same_numbers


def leaf(*values: float, grad_req: str = "write") -> NDArray:
    x: NDArray = nd.array(values)
    x.attach_grad(grad_req)
    return x


def gradient(x: NDArray) -> list[float]:
    assert x.grad is not None
    return x.grad.asnumpy().tolist()  # type: ignore[no-any-return]


def test_scopes_nest() -> None:
    assert not autograd.is_recording()
    with autograd.record():
        assert autograd.is_recording()
        assert autograd.is_training()
        with autograd.pause():
            assert not autograd.is_recording()
            assert not autograd.is_training()
            with autograd.train_mode():
                assert autograd.is_training()
                assert not autograd.is_recording()
        with autograd.predict_mode():
            assert autograd.is_recording()
            assert not autograd.is_training()
    assert not autograd.is_training()


def test_paused_work_is_constant() -> None:
    x = leaf(1, 2)
    with autograd.record():
        with autograd.pause():
            factor = x * 3
        y = x * factor
    y.backward()
    assert gradient(x) == [3, 6]


def test_detached_work_is_constant() -> None:
    x = leaf(1, 2)
    with autograd.record():
        y = x * x.detach()
    y.backward()
    assert gradient(x) == [1, 2]


def test_add_and_null_requests() -> None:
    x, y, z = leaf(1, 2, grad_req="add"), leaf(1, 2), leaf(1, 2, grad_req="null")
    for _ in range(2):
        with autograd.record():
            total = (x * 2 + y * 3 + z).sum()
        total.backward()
    assert gradient(x) == [4, 4]
    assert gradient(y) == [3, 3]
    with pytest.raises(KeyError, match="sometimes"):
        x.attach_grad("sometimes")


def test_a_graph_is_cleared_unless_retained() -> None:
    x = leaf(2)
    with autograd.record():
        y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert gradient(x) == [4]
    with pytest.raises(MXNetError, match="computational graph"):
        y.backward()


def test_unrecorded_work_has_no_gradient() -> None:
    x = leaf(1)
    with pytest.raises(MXNetError, match="computational graph"):
        (x * 2).backward()


def test_head_gradients() -> None:
    x = leaf(1, 2)
    with autograd.record():
        y = x * 3
    y.backward(nd.array([1, 10]))
    assert gradient(x) == [3, 30]


def test_second_order() -> None:
    x = leaf(2, 3)
    with autograd.record():
        y = nd.exp(x)
        (first,) = autograd.grad(y, x, create_graph=True, retain_graph=True)
        total = (first * first).sum()
    total.backward()
    assert_same_numbers(gradient(x), 2 * np.exp([4, 6]))


def test_views_are_recorded_and_share_memory() -> None:
    x = leaf(1, 2, 3, 4)
    view = x.reshape((2, 2))[1]
    view[0] = 9
    assert x.asnumpy().tolist() == [1, 2, 9, 4]
    with autograd.record():
        y = x.reshape((2, 2))[1] * nd.array([10, 20])
    y.backward()
    assert gradient(x) == [0, 0, 10, 20]


def test_writing_into_recorded_arrays_fails() -> None:
    x = leaf(1, 2)
    with autograd.record():
        y = x * 2
        with pytest.raises(MXNetError, match="Assigning"):
            y[0] = 1
        with pytest.raises(MXNetError, match="Assigning"):
            y += 1


class Clipped(autograd.Function):
    """Identity whose gradient is at most 1."""

    def forward(self, *inputs: NDArray) -> Any:
        self.save_for_backward(inputs[0])
        return inputs[0] * 1

    def backward(self, *output_grads: Any) -> Any:
        return nd.minimum(output_grads[0], 1)


def test_function_with_its_own_gradient() -> None:
    x = leaf(1, 2)
    with autograd.record():
        y = Clipped()(x) * nd.array([0.5, 7])
    y.backward()
    assert gradient(x) == [0.5, 1]


def test_long_tapes_need_no_recursion() -> None:
    x = leaf(1)
    with autograd.record():
        y = x
        for _ in range(3000):
            y = y + 1
    y.backward()
    assert gradient(x) == [1]


@pytest.mark.parametrize("cut", [nd.BlockGrad, nd.floor, lambda x: nd.argmax(x, axis=0)])
@pytest.mark.parametrize("grad_req", ["write", "add"])
def test_a_variable_behind_a_cut_has_zeros_for_gradient(cut: Any, grad_req: str) -> None:
    x, y = leaf(1, 2, grad_req=grad_req), leaf(3, 4)
    assert x.grad is not None
    x.grad[:] = 7
    with autograd.record():
        z = nd.broadcast_mul(cut(x), y)
    z.backward()
    assert gradient(x) == ([0, 0] if grad_req == "write" else [7, 7])


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("cut", ["argmax", "BlockGrad", "sign"])
def test_running_statistics_change_behind_a_cut_too(cut: str, hybridize: bool) -> None:
    norm = nn.BatchNorm(in_channels=2)
    norm.initialize()
    norm.hybridize(hybridize)
    with autograd.record():
        result = getattr(nd, cut)(norm(nd.array([[1.0, 2.0], [3.0, 6.0]])))
    result.backward()
    assert (norm.running_mean.data().asnumpy() != 0).all()


@pytest.mark.parametrize("hybridize", [False, True])
def test_running_statistics_stay_where_nothing_is_differentiated(hybridize: bool) -> None:
    """Measured: MXNet's backward does not reach a normalization whose data and parameters all have no gradient."""
    net = nn.HybridSequential()
    net.add(
        nn.BatchNorm(in_channels=2, center=False, scale=False), nn.Dense(2, in_units=2), nn.BatchNorm(in_channels=2)
    )
    net.initialize()
    net.hybridize(hybridize)
    with autograd.record():
        result = net(nd.array([[1.0, 2.0], [3.0, 6.0]]))
    result.backward()
    assert (net[0].running_var.data().asnumpy() == 1).all()
    assert (net[2].running_var.data().asnumpy() != 1).all()


@pytest.mark.parametrize("hybridize", [False, True])
def test_indices_that_nobody_can_differentiate_have_an_embedding(hybridize: bool) -> None:
    """MXNet refuses only where a variable would have its gradient from the indices."""
    embedding = nn.Embedding(4, 2)
    embedding.initialize(init.One())
    embedding.hybridize(hybridize)
    x = leaf(1, 2)
    with autograd.record():
        y = embedding(nd.floor(x)).sum() + x.sum()
    y.backward()
    assert gradient(x) == [1, 1]
    assert embedding.weight.grad().asnumpy().tolist() == [[0, 0], [1, 1], [1, 1], [0, 0]]
    for indices in (lambda: x * 1, lambda: x[:], lambda: x[0:2]):
        with autograd.record():
            y = embedding(indices()).sum()
        assert autograd.grad(y, [embedding.weight.data()], retain_graph=True)[0].asnumpy().sum() == 4
        with pytest.raises(MXNetError, match="an Embedding gives its indices no gradient"):
            y.backward()


@pytest.mark.parametrize(
    "call",
    [
        lambda F, x: F.batch_take(x, F.zeros((2,), dtype="int32")),
        lambda F, x: F._internal._slice_assign_scalar(x, scalar=3.0, begin=(0,), end=(1,)),
        lambda F, x: F._internal._slice_assign(x, F.zeros((1, 3)), begin=(0,), end=(1,)),
    ],
)
def test_operators_without_a_gradient(call: Any) -> None:
    """Measured: MXNet refuses eagerly in backward, and a compiled graph when it is recorded."""
    x = nd.arange(6).reshape((2, 3))
    x.attach_grad()
    with autograd.record():
        total = call(nd, x).sum()
    with pytest.raises(MXNetError, match="non-differentiable"):
        total.backward()


def test_one_element_may_lose_its_axes_in_the_legacy_interface() -> None:
    x = nd.array([[5.0]])
    x.attach_grad()
    with autograd.record():
        y = x.reshape(())
    y.backward()
    assert y.shape == ()
    assert x.grad.asnumpy().tolist() == [[1.0]]


def test_a_number_of_numpy_mode_is_differentiated_outside_of_it() -> None:
    x = nd.array([[1.0, 2.0]])
    x.attach_grad()
    with autograd.record():
        y = x.as_np_ndarray().sum()
    y.backward()
    assert x.grad.asnumpy().tolist() == [[1.0, 1.0]]
