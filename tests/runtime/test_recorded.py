"""What is recorded: as a symbol, with fresh gradients, under hooks of operators."""

from __future__ import annotations

import json

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import autograd, gluon, nd
from hybridlint.runtime.base import py_str
from hybridlint.runtime.gluon import nn


def test_a_record_becomes_a_symbol() -> None:
    x, y = nd.ones((2,)), nd.ones((2,))
    x.attach_grad()
    y.attach_grad()
    with autograd.record():
        z = x * x + 2 * y - nd.ones((2,))
    symbol = autograd.get_symbol(z)
    assert len(symbol.list_arguments()) == 3
    values = dict.fromkeys(symbol.list_arguments(), nd.array([2, 2]))
    assert symbol.eval(**values)[0].asnumpy().tolist() == [6, 6]


def test_what_was_not_recorded_has_no_symbol() -> None:
    with pytest.raises(mx.MXNetError, match="not part of a computation graph"):
        autograd.get_symbol(nd.ones((2,)))


@pytest.mark.parametrize(("limit", "nodes"), [(3, 10), (0, 8)])
def test_a_small_graph_is_recorded_node_by_node(limit: int, nodes: int) -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(2), nn.Dense(2), nn.Dense(2))
    net.initialize()
    net.hybridize(inline_limit=limit)
    with autograd.record():
        y = net(nd.zeros((1, 2)))
    assert len(json.loads(autograd.get_symbol(y).tojson())["nodes"]) == nodes


def test_backward_freshens_gradients() -> None:
    x = nd.ones((2,))
    x.attach_grad()
    assert x._fresh_grad is False
    with autograd.record():
        y = x * 2
    y.backward()
    assert x._fresh_grad is True


def test_a_constant_gradient_can_be_differentiated() -> None:
    x = nd.ones((2,))
    x.attach_grad()
    with autograd.record():
        (first,) = autograd.grad(nd.radians(x), x, create_graph=True)
    first.backward()
    assert x.grad.asnumpy().tolist() == [0, 0]


def test_operators_of_compiled_blocks_are_monitored() -> None:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(2, activation="relu"))
    net.initialize()
    net.hybridize()
    seen: list[str] = []
    net.register_op_hook(lambda name, _operator, _array: seen.append(py_str(name)))
    net(nd.ones((1, 3)))
    assert seen == ["net_dense0_fwd_output", "net_dense0_relu_fwd_output"]


def test_a_compiled_block_takes_inputs_on_one_context() -> None:
    net = nn.HybridLambda(lambda F, a, b: a + b)
    here, there = nd.ones((2,), ctx=mx.cpu(0)), nd.ones((2,), ctx=mx.cpu(1))
    net(here, there)
    net.hybridize()
    with pytest.raises(ValueError, match="one context"):
        net(here, there)


def test_results_stay_on_the_context_of_their_inputs() -> None:
    x = nd.ones((2, 2), ctx=mx.cpu(1))
    for y in (x + 1, x[0], x.reshape((4,)), x.copy(), x.detach(), nd.concat(x, x, dim=0)):
        assert y.context == mx.cpu(1)
    assert nd.random.uniform(shape=(2,), ctx=mx.cpu(2)).context == mx.cpu(2)
    with pytest.raises(mx.MXNetError, match="gpu"):
        nd.ones((1,), ctx=mx.gpu(99))


def test_memory_is_shared_with_numpy_and_dlpack() -> None:
    source = np.ones((2, 2), dtype="float64")
    shared = nd.from_numpy(source)
    assert shared.dtype == np.float64
    assert not source.flags.writeable
    x = nd.ones((2,))
    nd.from_dlpack(x.to_dlpack_for_write())[:] = 3
    assert x.asnumpy().tolist() == [3, 3]


def test_an_exported_float64_block_comes_back_so(tmp_path: object) -> None:
    net = nn.Dense(3, in_units=4)
    net.cast("float64")
    net.initialize()
    net.hybridize()
    net(nd.zeros((2, 4), dtype="float64"))
    net.export(f"{tmp_path}/net")
    again = gluon.SymbolBlock.imports(f"{tmp_path}/net-symbol.json", "data", f"{tmp_path}/net-0000.params")
    assert again(nd.zeros((2, 4), dtype="float64")).dtype == np.float64


def test_given_shapes_win_over_declared_ones() -> None:
    total = mx.sym.Variable("a", shape=(2, 3)) + mx.sym.Variable("b")
    assert total.infer_shape(a=(5, 6))[1] == [(5, 6)]
    assert total.infer_shape()[1] == [(2, 3)]


def test_an_operator_of_many_inputs_names_its_variables() -> None:
    assert mx.sym.Concat(name="c", num_args=2).list_arguments() == ["c_arg0", "c_arg1"]


def test_attributes_are_strings() -> None:
    with pytest.raises(ValueError, match="string"):
        mx.sym.Variable("x", attr={"mood": 1})


def test_attributes_of_operators_become_text() -> None:
    made = mx.sym.FullyConnected(mx.sym.Variable("x"), num_hidden=2, name="dense", attr={"__init__": (1, 2)})
    assert made.attr_dict()["dense_weight"]["__init__"] == "(1, 2)"
