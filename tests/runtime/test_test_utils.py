"""``mx.test_utils``: what its checks accept and refuse."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import test_utils as tu

X, Y = mx.sym.Variable("x"), mx.sym.Variable("y")
TWO = np.full((2, 3), 2.0)


def test_tolerances_are_those_of_the_less_precise_side() -> None:
    single, double = np.float32(1.00005), np.float64(1.0)
    assert tu.almost_equal(np.array([single]), np.array([double]))
    assert not tu.almost_equal(np.array([1.00005]), np.array([double]))
    tu.assert_almost_equal(mx.nd.ones((2,)), np.ones(2))


def test_a_difference_is_reported_with_its_place() -> None:
    with pytest.raises(AssertionError, match=r"at \(1,\): left 3\.0, right 2\.0"):
        tu.assert_almost_equal(np.array([1.0, 3.0]), np.array([1.0, 2.0]), names=("left", "right"))


def test_shapes_that_do_not_broadcast_differ() -> None:
    with pytest.raises(AssertionError, match="Shapes differ"):
        tu.assert_almost_equal(np.ones(3), np.ones(2))
    with pytest.raises(AssertionError, match="Shapes differ"):
        tu.assert_almost_equal(np.ones((1, 2)), np.ones(2), use_broadcast=False)


def test_a_share_of_elements_may_differ() -> None:
    tu.assert_almost_equal_with_err(np.array([1.0, 1, 1, 2]), np.ones(4), etol=0.25)
    with pytest.raises(AssertionError, match="50%"):
        tu.assert_almost_equal_with_err(np.array([1.0, 1, 2, 2]), np.ones(4), etol=0.25)


def test_forward_and_backward_are_compared_with_what_is_expected() -> None:
    tu.check_symbolic_forward(X * Y, [TWO, TWO], [TWO * 2])
    gradients = tu.check_symbolic_backward(
        X * Y, {"x": TWO, "y": TWO * 2}, [TWO], {"x": TWO * 4, "y": TWO * 2}, grad_req={"x": "write", "y": "add"}
    )
    assert set(gradients) == {"x", "y"}
    tu.check_symbolic_backward(X * Y, [TWO, TWO * 2], [TWO, TWO], [TWO * 4, TWO * 2])  # one too many is ignored
    with pytest.raises(AssertionError):
        tu.check_symbolic_backward(X * Y, [TWO, TWO], [TWO], [TWO, TWO])


def test_gradients_are_compared_with_finite_differences() -> None:
    product = mx.sym.broadcast_mul(mx.sym.tanh(X), Y)
    tu.check_numeric_gradient(product, [np.random.rand(2, 3), np.random.rand(1, 3)], rtol=1e-2, atol=1e-2)

    wrong = mx.sym.BlockGrad(X) * 2 + X
    with pytest.raises(AssertionError, match="gradient of x"):
        tu.check_numeric_gradient(wrong, [TWO], numeric_eps=1e-2, rtol=1e-2, atol=1e-2)


def test_one_graph_agrees_in_two_precisions() -> None:
    dense = mx.sym.FullyConnected(X, num_hidden=3, name="fc")
    runs = [{"ctx": mx.cpu(), "x": (2, 4), "type_dict": {"x": dtype}} for dtype in (np.float32, np.float64)]
    truth = tu.check_consistency(dense, runs)
    assert truth["output 0"].dtype == np.float64


def test_environment_variables_are_set_and_removed() -> None:
    tu.setenv("HYBRIDLINT_SOME", "1")
    assert tu.getenv("HYBRIDLINT_SOME") == "1"
    tu.setenv("HYBRIDLINT_SOME", None)
    assert tu.getenv("HYBRIDLINT_SOME") is None


@pytest.mark.parametrize("typ", ["whole", "forward"])
def test_the_speed_of_a_symbol_is_in_seconds(typ: str) -> None:
    x = mx.sym.var("x")
    assert 0 < tu.check_speed(x * x, typ=typ, N=2, x=(2, 3)) < 10
    assert 0 < tu.check_speed(x * x, {"x": np.ones((2, 3))}, typ=typ, N=2) < 10
    with pytest.raises(ValueError, match="whole"):
        tu.check_speed(x, {"x": np.ones((2, 3))}, typ="half")


def test_environment_variables_come_back() -> None:
    with tu.environment({"HYBRIDLINT_SOME": "1", "PATH_NOT_THERE": None}):
        assert os.environ["HYBRIDLINT_SOME"] == "1"
    assert "HYBRIDLINT_SOME" not in os.environ


def test_a_test_on_random_data_may_be_tried_again() -> None:
    runs = iter([False, True])

    @tu.retry(2)
    def sometimes() -> None:
        assert next(runs)

    sometimes()


def test_random_inputs() -> None:
    assert tu.rand_ndarray((2, 3)).shape == (2, 3)
    assert len(tu.rand_shape_nd(4, dim=3)) == 4
    assert tu.rand_ndarray((2, 3), "csr").stype == "csr"


def test_reduction_of_several_axes() -> None:
    data = np.random.rand(2, 3, 4)
    assert np.allclose(tu.np_reduce(data, (0, 2), 1, np.sum), data.sum((0, 2), keepdims=True))


def test_arrays_that_share_memory() -> None:
    x = mx.nd.ones((3,))
    assert tu.same_array(x, x.reshape((3,)))
    assert not tu.same_array(x, x.copy())


def test_the_default_context_can_be_set() -> None:
    before = tu.default_context()
    try:
        tu.set_default_context(mx.cpu(1))
        assert mx.nd.ones((1,)).context == mx.cpu(1)
    finally:
        tu.set_default_context(before)


def test_a_plain_reference_is_compared_with_an_optimizer_of_rows() -> None:
    class Reference(mx.optimizer.Optimizer):
        def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
            assert weight.stype == grad.stype == "default"
            weight[:] -= self.lr * grad

    tu.compare_optimizer(Reference(), mx.optimizer.SGD(), (3, 4), "float32", w_stype="row_sparse", g_stype="row_sparse")
    with pytest.raises(AssertionError):
        tu.compare_optimizer(Reference(learning_rate=0.3), mx.optimizer.SGD(), (3, 4), "float32")
