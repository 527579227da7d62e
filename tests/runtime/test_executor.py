"""Executors: symbols bound to arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.base import MXNetError

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
    with pytest.raises(mx.MXNetError, match="allow_up_sizing"):
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


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda x: mx.sym.Activation(x, act_type="relu", name="y"), b"y_input0"),
        (lambda x: mx.sym.Cast(x, dtype="float16", name="y"), b"y_input0"),
        (lambda x: mx.sym.sum(x, name="y"), b"y_input0"),
        (lambda x: mx.sym.softmax(x, name="y"), b"y_data"),
        (lambda x: mx.sym.tile(x, reps=(2,), name="y"), b"y_data"),
        (lambda x: mx.sym.stack(x, name="y"), b"y_arg0"),
    ],
)
def test_a_monitor_is_told_inputs_by_the_names_of_mxnet(made: Callable[[Any], Any], told: bytes) -> None:
    executor = made(X).simple_bind(mx.cpu(), x=(1, 2))
    seen: list[bytes] = []
    executor.set_monitor_callback(lambda name, _array: seen.append(name), monitor_all=True)
    executor.forward()
    assert seen == [b"x", told, b"y_output"]


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


def test_the_gradients_of_each_operator_are_monitored() -> None:
    executor = mx.sym.SoftmaxOutput(DENSE, name="loss").simple_bind(mx.cpu(), x=(2, 4))
    seen: list[str] = []
    executor.set_monitor_callback(lambda name, array: seen.append(name.decode()))
    executor.forward(is_train=True)
    executor.backward()
    assert seen[:2] == ["fc_output", "loss_output"]
    assert seen[2:] == ["loss_backward_output0", "loss_backward_output1", *(f"fc_backward_output{k}" for k in range(3))]


def test_an_output_that_is_no_loss_needs_its_gradient() -> None:
    executor = mx.sym.Group([mx.sym.make_loss(X * 2), X * 3]).simple_bind(mx.cpu(), x=(2,))
    executor.forward(is_train=True)
    with pytest.raises(mx.MXNetError, match=r"head_gradient is required.*output"):
        executor.backward()
    executor.backward([None, mx.nd.ones((2,))])
    assert executor.grad_dict["x"].asnumpy().tolist() == [5, 5]


@pytest.mark.parametrize("dtype", ["int32", "int64", "float16", "float64"])
def test_the_gradient_of_an_output_becomes_one_of_its_dtype(dtype: str) -> None:
    executor = (X * 2).simple_bind(mx.cpu(), x=(2,))
    executor.forward(is_train=True)
    executor.backward(mx.nd.array([3, 5], dtype=dtype))
    assert executor.grad_dict["x"].asnumpy().tolist() == [6, 10]


def test_outputs_are_the_same_arrays_after_each_run() -> None:
    executor = (X * 2).bind(mx.cpu(), {"x": mx.nd.zeros((2,))})
    kept = executor.forward()[0]
    executor.forward(x=mx.nd.ones((2,)))
    assert kept.asnumpy().tolist() == [2, 2]


def test_arrays_of_a_group_are_on_its_context() -> None:
    with mx.AttrScope(ctx_group="first"):
        half = mx.sym.Variable("a") * 2
    with mx.AttrScope(ctx_group="second"):
        whole = half + mx.sym.Variable("b")
    groups = {"first": mx.cpu(1), "second": mx.cpu(2)}
    executor = whole.simple_bind(mx.cpu(), group2ctx=groups, a=(2,), b=(2,))
    executor.forward(is_train=True, a=mx.nd.ones((2,)))
    executor.backward(mx.nd.ones((2,), ctx=mx.cpu(2)))
    assert {n: a.context for n, a in executor.arg_dict.items()} == {"a": mx.cpu(1), "b": mx.cpu(2)}
    assert executor.outputs[0].context == mx.cpu(2)
    assert executor.grad_dict["a"].asnumpy().tolist() == [2, 2]
    assert executor.grad_dict["a"].context == mx.cpu(1)


def test_executors_use_shared_memory_in_turn() -> None:
    buffer: dict[str, Any] = {}
    large = DENSE.simple_bind(mx.cpu(), x=(4, 2), shared_arg_names=["fc_weight", "fc_bias"], shared_buffer=buffer)
    assert sorted(buffer) == ["grad of x", "x"]
    names = ["fc_weight", "fc_bias"]
    small = DENSE.simple_bind(mx.cpu(), x=(2, 2), shared_arg_names=names, shared_exec=large, shared_buffer=buffer)
    large.arg_dict["fc_weight"][:] = 1
    small.arg_dict["x"][:] = 3
    assert small.forward()[0].asnumpy().tolist() == [[6] * 3] * 2
    assert large.arg_dict["x"].asnumpy()[:2].tolist() == [[3, 3]] * 2


def test_what_does_not_fit_is_refused_where_it_is_bound() -> None:
    both = X + mx.sym.Variable("y")
    with pytest.raises(mx.MXNetError, match="expected shape"):
        both.bind(mx.cpu(), {"x": mx.nd.ones((2,)), "y": mx.nd.ones((3,))})
    with pytest.raises(RuntimeError, match="simple_bind error"):
        both.simple_bind(mx.cpu(), x=(2,), y=(3,))
    with pytest.raises(TypeError, match="Only accept"):
        both.bind(mx.cpu(), {"x": np.ones(2), "y": np.ones(2)})
    executor = both.simple_bind(mx.cpu(), x=(2,))
    with pytest.raises(TypeError, match="Unknown argument z"):
        executor.forward(z=mx.nd.ones((2,)))
    with pytest.raises(ValueError, match="only accept keyword argument of NDArrays"):
        executor.forward(x=3)


def test_the_text_of_an_executor_ends_with_its_memory() -> None:
    executor = DENSE.simple_bind(mx.cpu(), x=(1024, 1024))
    assert "Op:FullyConnected, Name=fc" in executor.debug_str()
    assert "Total 8 MB allocated" in executor.debug_str()


@pytest.mark.parametrize(
    ("graph", "fewer"),
    [
        (mx.sym.exp(X) + mx.sym.exp(X), 1),
        (mx.sym.exp(X + 1) * mx.sym.exp(X + 1), 2),
        (X * 2 + X * 3, 0),
        (mx.sym.Dropout(X) + mx.sym.Dropout(X), 0),
        (mx.sym.random.uniform(shape=(2,)) + mx.sym.random.uniform(shape=(2,)) + X, 0),
        (mx.sym.Group([X + 1, X + 1]), 0),
    ],
)
def test_equal_calls_are_made_once(graph: Any, fewer: int) -> None:
    executor = graph.simple_bind(mx.cpu(), x=(2,))
    found = executor.get_optimized_symbol()
    assert len(graph.get_internals()) - len(found.get_internals()) == fewer
    assert len(found.list_outputs()) == len(graph.list_outputs())


def test_a_reshaped_executor_writes_its_outputs_into_the_memory_of_the_first() -> None:
    executor = (X * 2).simple_bind(mx.cpu(), x=(4, 2))
    outputs = executor.outputs[0]
    smaller = executor.reshape(x=(3, 2))
    smaller.forward(x=mx.nd.ones((3, 2)))
    assert outputs.asnumpy().tolist() == [[2, 2]] * 3 + [[0, 0]]
    executor.forward(x=mx.nd.ones((4, 2)) * 3)
    assert smaller.outputs[0].asnumpy().tolist() == [[6, 6]] * 3
    larger = smaller.reshape(x=(5, 2), allow_up_sizing=True)
    larger.forward(x=mx.nd.ones((5, 2)))
    assert outputs.asnumpy().tolist() == [[6, 6]] * 4


def test_gradients_do_not_depend_on_the_memory_that_outputs_share() -> None:
    executor = mx.sym.exp(X).simple_bind(mx.cpu(), x=(3,))
    smaller = executor.reshape(x=(2,))
    executor.forward(is_train=True, x=mx.nd.zeros((3,)))
    smaller.forward(is_train=True, x=mx.nd.ones((2,)))
    executor.backward(mx.nd.ones((3,)))
    assert executor.grad_dict["x"].asnumpy().tolist() == [1, 1, 1]


def test_reshaped_arrays_stay_on_their_context() -> None:
    executor = DENSE.simple_bind(mx.cpu(1), x=(4, 2))
    smaller = executor.reshape(x=(3, 2))
    assert {array.context for array in smaller.arg_arrays} == {mx.cpu(1)}
    assert smaller.forward()[0].context == mx.cpu(1)


def test_dictionaries_may_hold_what_is_no_argument() -> None:
    given: dict[str, Any] = {"x": mx.nd.ones((2,)), "other": 9}
    executor = (X + 1).bind(mx.cpu(), args=given, args_grad={"other": 9}, aux_states={"other": 9})
    assert executor.forward()[0].asnumpy().tolist() == [2, 2]
    assert (executor.grad_dict, executor.aux_dict) == ({"x": None}, {})
    for wrong in ({"x": None}, {"x": 9}):
        with pytest.raises(TypeError, match="Only accept list of NDArrays"):
            (X + 1).bind(mx.cpu(), args={"x": mx.nd.ones((2,))}, args_grad=wrong)


def test_wrong_values_are_told_to_who_reads_the_outputs() -> None:
    executor = mx.sym.take(X, mx.sym.Variable("rows"), mode="raise").simple_bind(mx.cpu(), x=(3, 2), rows=(1,))
    executor.forward(rows=mx.nd.array([7]))
    with pytest.raises(MXNetError, match="out of bounds"):
        executor.outputs[0].asnumpy()
    executor.forward(rows=mx.nd.array([1]))
    assert executor.outputs[0].shape == (1, 2)


def test_reshaped_executors_keep_the_callback_of_monitors() -> None:
    seen = []
    executor = DENSE.simple_bind(mx.cpu(), x=(4, 2))
    executor.set_monitor_callback(lambda name, _: seen.append(name))
    executor.reshape(x=(3, 2)).forward()
    assert seen == [b"fc_output"]
