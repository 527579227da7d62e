"""Shapes and dtypes of graphs are inferred in both directions, as the real MXNet does."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import nd, operator, sym, util
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.context import cpu


@pytest.mark.parametrize(
    "chain",
    [
        lambda a: sym.relu(sym.tanh(a)),
        lambda a: a * 2 + 1,
        lambda a: sym.Cast(sym.BlockGrad(a), dtype="float32"),
        lambda a: sym.log_softmax(sym.Activation(a, act_type="relu")),
        lambda a: sym.flip(sym.clip(a, 0, 1), axis=0),
    ],
)
def test_the_shape_of_a_result_is_that_of_the_inputs_of_element_wise_operators(chain: Any) -> None:
    both = chain(sym.var("a")) + sym.var("b")
    assert both.infer_shape(b=(2, 3)) == ([(2, 3), (2, 3)], [(2, 3)], [])


def test_transposed_axes_and_inserted_ones_are_undone() -> None:
    order = sym.transpose(sym.var("a"), axes=(1, 0, 2)) + sym.var("b")
    assert order.infer_shape(b=(2, 3, 4))[0] == [(3, 2, 4), (2, 3, 4)]
    longer = sym.expand_dims(sym.var("a"), axis=1) + sym.var("b")
    assert longer.infer_shape(b=(2, 1, 4))[0] == [(2, 4), (2, 1, 4)]


@pytest.mark.parametrize("operation", [sym.softmax, sym.Dropout, sym.Flatten])
def test_operators_without_a_reverse_leave_their_inputs_open(operation: Any) -> None:
    with pytest.warns(UserWarning, match="Cannot decide shape"):
        assert (operation(sym.var("a")) + sym.var("b")).infer_shape(b=(2, 3)) == (None, None, None)


def test_joined_arrays_complete_each_other() -> None:
    joined = sym.Concat(sym.var("a"), sym.var("b"), dim=1)
    assert joined.infer_shape_partial(a=(2, 3))[0] == [(2, 3), (2, 0)]
    assert joined.infer_shape_partial(a=(2, 3), b=(0, 4)) == ([(2, 3), (2, 4)], [(2, 7)], [])


def test_an_unknown_rank_is_none_where_shapes_follow_numpy() -> None:
    total = sym.var("a") + sym.var("b")
    assert total.infer_shape_partial() == ([(), ()], [()], [])
    with util.np_shape(True):
        assert total.infer_shape_partial() == ([None, None], [None], [])


def test_dtypes_are_none_until_one_is_known() -> None:
    total = sym.var("a") + sym.var("b")
    assert total.infer_type() == (None, None, None)
    assert total.infer_type_partial() == ([None, None], [None], [])
    assert total.infer_type(b="float16") == ([np.float16, np.float16], [np.float16], [])
    assert sym.Cast(sym.var("a"), dtype="int32").infer_type_partial() == ([None], [np.int32], [])


@operator.register("completing_dense")
class Dense(operator.CustomOpProp):
    """A layer that tells the shape of its weight, and has a counter of its runs."""

    def __init__(self, units: str) -> None:
        super().__init__()
        self.units = int(units)

    def list_arguments(self) -> list[str]:
        return ["data", "weight"]

    def list_outputs(self) -> list[str]:
        return ["result"]

    def list_auxiliary_states(self) -> list[str]:
        return ["runs"]

    def infer_shape(self, in_shape: Any) -> Any:
        rows, columns = in_shape[0]
        return [in_shape[0], [self.units, columns]], [[rows, self.units]], [[1]]

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> operator.CustomOp:
        return DenseOp()


class DenseOp(operator.CustomOp):
    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        aux[0][:] += 1
        self.assign(out_data[0], req[0], nd.dot(in_data[0], in_data[1].T))

    def backward(  # noqa: PLR0917  (MXNet's own signature)
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        self.assign(in_grad[0], req[0], nd.dot(out_grad[0], in_data[1]))
        self.assign(in_grad[1], req[1], nd.dot(out_grad[0].T, in_data[0]))


def test_a_custom_operator_completes_the_shapes_of_its_parameters() -> None:
    layer = sym.Custom(sym.var("data"), units=3, op_type="completing_dense", name="d")
    assert layer.list_outputs() == ["d_result"]
    assert layer.infer_shape(data=(2, 5)) == ([(2, 5), (3, 5)], [(2, 3)], [(1,)])
    assert layer.infer_shape_partial() == ([(), ()], [()], [()])
    bound = layer.simple_bind(cpu(), data=(2, 5))
    bound.arg_dict["data"][:], bound.arg_dict["d_weight"][:] = 1, 2
    bound.forward(is_train=True)
    bound.backward(nd.ones((2, 3)))
    assert bound.outputs[0].asnumpy().tolist() == [[10, 10, 10]] * 2
    assert bound.aux_dict["d_runs"].asscalar() == 1
    assert bound.grad_dict["d_weight"].asnumpy().tolist() == [[2] * 5] * 3


def test_files_of_the_first_versions_are_read_with_attributes_of_parameters_and_states() -> None:
    nodes: list[dict[str, Any]] = [
        {"op": "null", "param": {}, "name": name, "inputs": []} for name in ("data", "bn_gamma", "bn_beta")
    ]
    attr = {"ctx_group": "first", "gamma_lr_mult": "0.5"}
    nodes.append({"op": "BatchNorm", "param": {}, "name": "bn", "inputs": [[k, 0] for k in range(3)], "attr": attr})
    graph = sym.load_json(json.dumps({"nodes": nodes, "arg_nodes": [0, 1, 2], "heads": [[3, 0]]}))
    assert graph.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert graph.attr_dict()["bn"]["__ctx_group__"] == "first"
    assert graph.attr_dict()["bn_gamma"] == {"__lr_mult__": "0.5", "lr_mult": "0.5"}


def test_a_composed_symbol_gets_the_name_and_refuses_unknown_variables() -> None:
    outer = sym.Activation(sym.var("z"), act_type="relu", name="outer")
    inner = sym.FullyConnected(sym.var("x"), num_hidden=3, name="inner")
    assert outer(z=inner, name="both").list_outputs() == ["both_output"]
    with pytest.raises(MXNetError, match="Keyword argument name y not found"):
        outer(y=inner)


def test_a_variable_of_one_dimension_declares_its_size_alone() -> None:
    total = sym.broadcast_add(sym.var("x"), sym.var("bias", shape=3))
    assert total.infer_shape(x=(2, 3)) == ([(2, 3), (3,)], [(2, 3)], [])


@pytest.mark.parametrize(("unknown", "semantics"), [(0, False), (-1, True)])
def test_sizes_cut_from_unknown_ones_stay_unknown(unknown: int, semantics: bool) -> None:
    with util.np_shape(semantics):
        data = sym.var("data", shape=(unknown, 20))
        cuts = (
            (sym.slice(data, begin=(None, 3), end=(5, 10)), (unknown, 7)),
            (sym.slice(data, begin=(0, 3), end=(1, None)), (unknown, 17)),
            (sym.slice_axis(data, axis=0, begin=0, end=5), (unknown, 20)),
            (sym.slice_axis(data, axis=1, begin=0, end=5), (unknown, 5)),
        )
        for cut, shape in cuts:
            assert cut.infer_shape_partial()[1] == [shape]


def test_a_batch_of_products_is_unknown_as_a_whole_while_a_size_to_sum_over_is() -> None:
    product = sym.batch_dot(sym.var("a"), sym.var("b"))
    assert product.infer_shape_partial(a=(0, 3, 4), b=(0, 4, 5))[1] == [(0, 3, 5)]
    assert product.infer_shape_partial(a=(0, 3, 4), b=(0, 0, 5))[1] == [()]
    assert product.infer_shape_partial(a=(2, 3, 4))[1] == [()]


def test_a_tensor_repeated_no_times_has_a_shape_with_numpy_shapes_only() -> None:
    with pytest.raises(MXNetError, match="not known"):
        nd.tile(nd.ones((2, 3)), reps=(1, 0))
    assert sym.tile(sym.var("a"), reps=(1, 0)).infer_shape(a=(2, 3)) == (None, None, None)
    with util.np_shape(True):
        assert nd.tile(nd.ones((2, 3)), reps=(1, 0)).shape == (2, 0)


def test_arrays_without_elements_are_allocated_but_not_computed_without_numpy_shapes() -> None:
    assert nd.empty((2, 0), dtype="int32").dtype == np.int32
    assert nd.full((0,), 3).shape == (0,)
    assert nd.diag(nd.ones((2, 3)), k=3).shape == (0,)
    assert nd.random.multinomial(nd.array([[0.5, 0.5]]), shape=(2, 0)).shape == (1, 2, 0)
    with pytest.raises(MXNetError):
        nd.zeros((2, 0))
    with pytest.raises(MXNetError):
        nd.diag(nd.ones((2, 3)), k=4)
    with pytest.raises(MXNetError):
        nd.random.normal(nd.ones((2,)), nd.ones((2,)), shape=(0,))
