"""Executors: symbols bound to arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx

X = mx.sym.Variable("x")
DENSE = mx.sym.FullyConnected(X, num_hidden=3, name="fc")


def test_dtypes_follow_from_those_given() -> None:
    executor = DENSE.simple_bind(mx.cpu(), x=(2, 4), type_dict={"x": "float16"})
    assert executor.arg_dict["fc_weight"].dtype == np.float16
    assert [(o.shape, o.dtype) for o in executor.outputs] == [((2, 3), np.float16)]


def test_a_gradient_request_for_each_argument() -> None:
    executor = DENSE.simple_bind(mx.cpu(), x=(2, 4), grad_req={"fc_weight": "write"})
    assert [g is None for g in executor.grad_arrays] == [True, False, True]
    executor = DENSE.simple_bind(mx.cpu(), x=(2, 4), grad_req=["null", "write", "add"])
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward(mx.nd.ones((2, 3)))
    assert executor.grad_dict["fc_bias"].asnumpy().tolist() == [4, 4, 4]


def test_two_executors_on_the_same_arrays_keep_their_own_gradients() -> None:
    shared = mx.nd.ones((2,))
    gradients = [mx.nd.zeros((2,)), mx.nd.zeros((2,))]
    first = (X * 2).bind(mx.cpu(), {"x": shared}, {"x": gradients[0]})
    second = (X * 3).bind(mx.cpu(), {"x": shared}, {"x": gradients[1]})
    for executor in (first, second):
        executor.forward(is_train=True)
    for executor in (second, first):
        executor.backward(mx.nd.ones((2,)))
    assert [g.asnumpy().tolist() for g in gradients] == [[2, 2], [3, 3]]


def test_a_reshaped_executor_shares_what_keeps_its_shape() -> None:
    executor = DENSE.simple_bind(mx.cpu(), x=(4, 2))
    smaller = executor.reshape(x=(3, 2))
    executor.arg_dict["fc_weight"][:] = 1
    smaller.arg_dict["x"][:] = 1
    assert smaller.forward()[0].asnumpy().tolist() == [[2] * 3] * 3
    with pytest.raises(AssertionError, match="allow_up_sizing"):
        executor.reshape(x=(5, 2))
    assert executor.reshape(x=(5, 2), allow_up_sizing=True).arg_dict["x"].shape == (5, 2)


def test_parameters_are_copied_by_name() -> None:
    executor = DENSE.simple_bind(mx.cpu(), x=(1, 2))
    executor.copy_params_from({"fc_bias": mx.nd.ones((3,))})
    assert executor.forward()[0].asnumpy().tolist() == [[1, 1, 1]]
    with pytest.raises(ValueError, match="other"):
        executor.copy_params_from({"other": mx.nd.ones((3,))})


def test_a_monitor_sees_every_operator() -> None:
    executor = mx.sym.relu(DENSE, name="act").simple_bind(mx.cpu(), x=(1, 2))
    seen: list[bytes] = []
    executor.set_monitor_callback(lambda name, _array: seen.append(name))
    executor.forward()
    assert seen == [b"fc_output", b"act_output"]


def test_a_graph_without_inputs_runs() -> None:
    assert mx.sym.random.uniform(shape=(2, 3)).eval(ctx=mx.cpu())[0].shape == (2, 3)


def test_a_gradient_is_zeros_where_nothing_flows() -> None:
    gradient = mx.nd.ones((2,))
    executor = mx.sym.sign(X).bind(mx.cpu(), {"x": mx.nd.ones((2,))}, {"x": gradient})
    executor.forward(is_train=True)
    executor.backward(mx.nd.ones((2,)))
    assert gradient.asnumpy().tolist() == [0, 0]


@pytest.mark.parametrize("forward", [lambda executor: None, lambda executor: executor.forward()])
def test_gradients_need_no_training_forward(forward: Callable[[Any], Any]) -> None:
    executor = (X * 3).bind(mx.cpu(), {"x": mx.nd.ones((2,))}, {"x": mx.nd.zeros((2,))})
    forward(executor)
    executor.backward(mx.nd.array([1, 2]))
    assert executor.grad_dict["x"].asnumpy().tolist() == [3, 6]


def test_an_unknown_size_follows_from_what_a_reshape_gives() -> None:
    reshaped = X.reshape((6, 1, -2)) + mx.sym.ones((6, 1, 5, 6))
    assert reshaped.infer_shape(x=(2, 0, 5, 6))[0] == [(2, 3, 5, 6)]


def test_what_is_no_shape_is_ignored() -> None:
    executor = DENSE.simple_bind(mx.cpu(), x=(2, 4), force_rebind=True, mode="clip")
    assert executor.arg_dict["fc_weight"].shape == (3, 4)


def test_a_range_is_as_long_as_its_use_asks() -> None:
    places = mx.sym.arange(start=2, step=3, infer_range=True) + mx.sym.zeros((4,))
    assert places.eval()[0].asnumpy().tolist() == [2, 5, 8, 11]
