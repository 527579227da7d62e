"""Hybrid blocks: eager and compiled runs agree, and what breaks when compiled breaks as in MXNet."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import gluon, nd, sym
from hybridlint.runtime.gluon import nn

if TYPE_CHECKING:
    from collections.abc import Callable

ONES = nd.ones((2,))


class Function(gluon.HybridBlock):
    """A block that computes a function, to keep the tests short."""

    def __init__(self, function: Callable[..., Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = function

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **params: Any) -> Any:
        return self.function(F, x, *args, **params)


def compiled(function: Callable[..., Any]) -> Function:
    block = Function(function)
    block.hybridize()
    return block


def network() -> nn.HybridSequential:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(4, activation="relu"), nn.BatchNorm(), nn.Dense(2))
    net.initialize(mx.init.Xavier())
    return net


def test_compiled_agrees_with_eager_in_values_and_gradients() -> None:
    net, x = network(), nd.array(np.random.default_rng(0).normal(size=(5, 3)), dtype="float32")
    outputs, gradients = [], []
    for active in (False, True):
        net.hybridize(active)
        with mx.autograd.record():
            loss = net(x).square().sum()
        loss.backward()
        outputs.append(net(x).asnumpy())
        gradients.append(net[0].weight.grad().asnumpy())
        net[1].running_mean.set_data(nd.zeros(4))
        net[1].running_var.set_data(nd.ones(4))
    np.testing.assert_allclose(gradients[0], gradients[1], rtol=1e-5, atol=1e-6)
    assert outputs[0].shape == outputs[1].shape == (5, 2)


def test_hybrid_forward_runs_once_per_trace() -> None:
    calls: list[Any] = []

    def watched(F: Any, x: Any) -> Any:
        calls.append(x)
        return x + 1

    block = compiled(watched)
    block(ONES)
    block(nd.ones((3,)))
    assert [type(c).__name__ for c in calls] == ["Symbol"]
    block.hybridize()
    block(ONES)
    block.hybridize(active=False)
    block(ONES)
    assert [type(c).__name__ for c in calls] == ["Symbol", "Symbol", "NDArray"]


def test_inputs_are_called_data() -> None:
    names: list[Any] = []

    def watched(F: Any, x: Any, others: Any = ()) -> Any:
        names.append([x.name, *(other.name for other in others)])
        return sum(others, x)

    compiled(watched)(ONES)
    compiled(watched)(ONES, [ONES, ONES])
    assert names == [["data"], ["data0", "data1", "data2"]]


def test_tuples_come_back_as_lists() -> None:
    out = compiled(lambda F, x: (x, (x + 1, [x * 2])))(ONES)
    assert isinstance(out, list)
    assert isinstance(out[1], list)
    assert out[1][1][0].asnumpy().tolist() == [2, 2]


def test_several_outputs_of_one_operator_stay_together() -> None:
    halves, whole = compiled(lambda F, x: (F.split(x, 2, axis=0), x + 1))(ONES)
    assert [h.shape for h in halves] == [(1,), (1,)]
    assert whole.shape == (2,)


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (lambda F, x: 3, ValueError),
        (lambda F, x: {"a": x}, ValueError),
        (lambda F, x: None, TypeError),
        (lambda F, x: (x, None), TypeError),
    ],
)
def test_outputs_that_only_work_eagerly(function: Callable[..., Any], error: type[Exception]) -> None:
    Function(function)(ONES)
    with pytest.raises(error):
        compiled(function)(ONES)


@pytest.mark.parametrize("value", [3, None, np.ones(2), "text"])
def test_an_input_must_be_a_tensor(value: Any) -> None:
    for block in (Function(lambda F, x: x), compiled(lambda F, x: x)):
        with pytest.raises(ValueError, match="there must be one NDArray or one Symbol"):
            block(value)


def test_plain_values_beside_tensors_work_eagerly_only() -> None:
    assert Function(lambda F, x, y: x * y)(ONES, 2).asnumpy().tolist() == [2, 2]
    with pytest.raises(ValueError, match="but got 2 of type <class 'int'>"):
        compiled(lambda F, x, y: x * y)(ONES, 2)


def test_arrays_and_symbols_do_not_mix() -> None:
    with pytest.raises(ValueError, match="mixed NDArrays and Symbols"):
        Function(lambda F, x, y: x)(ONES, sym.var("y"))


def test_optional_inputs() -> None:
    block = compiled(lambda F, x, y=None: x if y is None else x + y)
    block(ONES)
    block(ONES, None)
    with pytest.raises(ValueError, match="does not match the cached version"):
        block(ONES, ONES)


def test_deferred_shapes_are_inferred_in_both_modes() -> None:
    for active in (False, True):
        layer = nn.Dense(3)
        layer.initialize()
        layer.hybridize(active)
        assert layer(nd.ones((2, 5))).shape == (2, 3)
        assert layer.weight.shape == (3, 5)


def test_a_shape_that_nothing_tells_is_an_error() -> None:
    class Unused(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.weight = self.params.get("weight", shape=(0, 2), allow_deferred_init=True)

        def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
            return x + 1

    block = Unused()
    block.initialize()
    with pytest.raises(ValueError, match="Deferred initialization failed because shape cannot be inferred"):
        block(ONES)
    block.hybridize()
    with pytest.warns(UserWarning, match="is not used by any computation"):
        block(ONES)


def test_unregistered_children_fail_when_compiled() -> None:
    class Lost(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [nn.Dense(2, in_units=2)]

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return self.layers[0](x)

    block = Lost()
    block.layers[0].initialize()
    assert block(nd.ones((1, 2))).shape == (1, 2)
    block.hybridize()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(AssertionError, match="Unknown input to HybridBlock"):
            block(nd.ones((1, 2)))


def test_a_parameter_called_data_is_replaced_by_the_input() -> None:
    class Collides(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__(prefix="")
            self.weight = self.params.get("data", shape=(2,))

        def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
            return x * weight

    block = Collides()
    block.initialize(mx.init.Zero())
    assert block(ONES).asnumpy().tolist() == [0, 0]
    block.hybridize()
    assert block(ONES).asnumpy().tolist() == [1, 1]


def test_a_replaced_child_retraces_and_a_replaced_grandchild_does_not() -> None:
    class Outer(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Inner()

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return self.inner(x)

    class Inner(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.layer = Function(lambda F, x: x + 1)

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return self.layer(x)

    net = Outer()
    net.hybridize()
    assert net(ONES).asnumpy().tolist() == [2, 2]
    net.inner.layer = Function(lambda F, x: x + 10)
    assert net(ONES).asnumpy().tolist() == [2, 2]
    net.inner = net.inner
    assert net(ONES).asnumpy().tolist() == [11, 11]


def test_a_name_scope_is_open_while_tracing_and_does_not_nest() -> None:
    class Scoped(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            with self.name_scope():
                return F.relu(x)

    block = Scoped()
    block(ONES)
    block.hybridize()
    with pytest.raises(AttributeError, match="opened inside itself"):
        block(ONES)
    with block.name_scope():
        assert nn.Flatten().prefix.startswith(block.prefix)


def test_calling_with_a_symbol_gives_a_symbol() -> None:
    net = network()
    out = net(sym.var("x"))
    assert out.list_arguments()[0] == "x"
    assert out.name == "net_dense1_fwd"


def test_sequential_hybridizes_its_children_and_warns() -> None:
    net = nn.Sequential()
    net.add(nn.Dense(2))
    with pytest.warns(UserWarning, match="Consider using HybridSequential"):
        net.hybridize(some_future_flag=1)
    assert net[0]._active


def test_export_needs_a_compiled_run(tmp_path: Path) -> None:
    net = network()
    net.hybridize()
    with pytest.raises(RuntimeError, match="Please first call"):
        net.export(str(tmp_path / "net"))


def test_an_exported_net_comes_back(tmp_path: Path) -> None:
    net, x = network(), nd.array(np.random.default_rng(0).normal(size=(5, 3)), dtype="float32")
    net.hybridize()
    expected = net(x).asnumpy()
    net.export(str(tmp_path / "net"), epoch=7)
    params = nd.load(str(tmp_path / "net-0007.params"))
    assert list(params)[:2] == ["arg:net_dense0_weight", "arg:net_dense0_bias"]
    assert "aux:net_batchnorm0_running_mean" in params
    back = gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0007.params"))
    np.testing.assert_array_equal(back(x).asnumpy(), expected)
    assert repr(back) == "SymbolBlock(\n<Symbol net_dense1_fwd> : 1 -> 1\n)"
    assert back(sym.var("other")).list_arguments()[0] == "other"


def test_a_symbol_block_is_made_from_symbols() -> None:
    a, b = sym.var("a"), sym.var("b")
    block = gluon.SymbolBlock([a + b, a * b], [a, b])
    total, product = block(ONES * 2, ONES * 3)
    assert (total.asnumpy().tolist(), product.asnumpy().tolist()) == ([5, 5], [6, 6])
    with pytest.raises(AssertionError, match="must be variable"):
        gluon.SymbolBlock(a + b, [a + 1])


def test_a_block_of_symbols_takes_parameters_as_they_are() -> None:
    net = nn.BatchNorm(scale=False, prefix="norm_")
    net.initialize()
    data = mx.sym.var("data")
    block = gluon.SymbolBlock(net(data), data, params=net.collect_params())
    assert block.collect_params()["norm_gamma"].grad_req == "null"
    assert gluon.SymbolBlock(net(data), data).collect_params()["norm_gamma"].grad_req == "write"


WRITTEN = Path(__file__).parents[2] / "goldens" / "files"


def test_a_net_exported_by_mxnet_runs_and_is_exported_alike(tmp_path: Path) -> None:
    net = gluon.SymbolBlock.imports(str(WRITTEN / "model-symbol.json"), ["data"], str(WRITTEN / "model-0001.params"))
    out = net(nd.array(np.load(WRITTEN / "input.npy")))
    np.testing.assert_allclose(out.asnumpy(), np.load(WRITTEN / "output.npy"), rtol=1e-5, atol=1e-6)
    net.export(str(tmp_path / "again"), epoch=1)
    assert (tmp_path / "again-0001.params").read_bytes() == (WRITTEN / "model-0001.params").read_bytes()
    ours = json.loads((tmp_path / "again-symbol.json").read_text())
    theirs = json.loads((WRITTEN / "model-symbol.json").read_text())
    assert [node for node in ours["nodes"] if node["op"] != "null"] == [
        node for node in theirs["nodes"] if node["op"] != "null"
    ]


def test_statistics_of_a_layer_that_is_used_several_times_hear_of_the_last_use_first() -> None:
    """Measured: MXNet updates them in backward, eagerly and hybridized in the same order."""
    for compiled in (False, True):
        net = _Shared()
        net.initialize()
        if compiled:
            net.hybridize()
        inputs = [nd.arange(6).reshape((3, 2)) * scale for scale in (1, -2, 5)]
        with mx.autograd.record():
            total = net(*inputs).sum()
        total.backward()
        assert np.allclose(net.norm.running_mean.data().asnumpy(), [0.65, 0.975])


class _Shared(gluon.HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.norm = mx.gluon.nn.BatchNorm(in_channels=2)

    def hybrid_forward(self, F: Any, first: Any, second: Any, third: Any) -> Any:
        return self.norm(first) + 2 * self.norm(second) + 3 * self.norm(third)


def test_an_input_that_reaches_no_output_keeps_shapes_from_being_inferred() -> None:
    class First(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.dense = nn.Dense(3)

        def hybrid_forward(self, F: Any, x: Any, unused: Any) -> Any:
            return self.dense(x)

    net, x = First(), nd.ones((2, 4))
    net.initialize()
    net.hybridize()
    refused = pytest.raises(ValueError, match="InferShapeKeyword argument name data1 not found")
    with pytest.warns(UserWarning, match="is not used"), refused:
        net(x, x)
