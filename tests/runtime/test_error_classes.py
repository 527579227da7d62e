"""The classes of the exceptions that programs catch, as MXNet 1.9.1 raises them: measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hybridlint.runtime import autograd, gluon, kvstore, nd, sym
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.context import cpu
from hybridlint.runtime.gluon import nn


def _dense() -> Any:
    return sym.FullyConnected(sym.var("data"), num_hidden=2, name="f")


def _arrays() -> dict[str, nd.NDArray]:
    return {"data": nd.ones((2, 3)), "f_weight": nd.ones((2, 3)), "f_bias": nd.ones((2,))}


def _static_shape() -> None:
    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize(static_shape=True)
    net(nd.ones((1, 3)))


def _one_device() -> None:
    net = nn.Dense(1, in_units=2)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", update_on_kvstore=True)
    with autograd.record():
        loss = net(nd.ones((1, 2))).sum()
    loss.backward()
    trainer.step(1)


CALLS: dict[str, tuple[type[Exception], Callable[[], Any]]] = {
    "attach_grad": (KeyError, lambda: nd.ones(2).attach_grad("foo")),
    "copyto another shape": (MXNetError, lambda: nd.ones((2, 3)).copyto(nd.ones((3, 3)))),
    "copyto a text": (TypeError, lambda: nd.ones((2, 3)).copyto("cpu")),
    "reshape with two open sizes": (MXNetError, lambda: nd.ones((2, 3)).reshape((-1, -1))),
    "reshape to another number": (ValueError, lambda: nd.ones((2, 3)).reshape((4, -1))),
    "stack of nothing": (MXNetError, nd.stack),
    "add_n of nothing": (MXNetError, nd.add_n),
    "traced stack of nothing": (MXNetError, sym.stack),
    "Custom without a type": (MXNetError, lambda: nd.Custom(nd.ones(2))),
    "traced Custom without a type": (MXNetError, lambda: sym.Custom(sym.var("a"))),
    "sym.load": (MXNetError, lambda: sym.load("no-such-file.json")),
    "nd.load": (MXNetError, lambda: nd.load("no-such-file.params")),
    "imports": (MXNetError, lambda: gluon.SymbolBlock.imports("no-such-file.json", ["data"])),
    "nd.save": (MXNetError, lambda: nd.save("/no/such/folder/x", [nd.ones(2)])),
    "sym.save": (MXNetError, lambda: sym.var("a").save("/no/such/folder/x")),
    "simple_bind": (RuntimeError, lambda: _dense().simple_bind(cpu(), grad_req="zz", data=(2, 3))),
    "simple_bind of few": (RuntimeError, lambda: _dense().simple_bind(cpu(), grad_req=["write"], data=(2, 3))),
    "bind": (ValueError, lambda: _dense().bind(cpu(), _arrays(), grad_req="zz")),
    "infer_shape": (MXNetError, lambda: _dense().infer_shape(unknown=(2, 3))),
    "infer_shape of an output": (MXNetError, lambda: _dense().infer_shape(f_output=(2, 2))),
    "infer_shape of None": (TypeError, lambda: _dense().infer_shape(data=None)),
    "infer_type": (MXNetError, lambda: _dense().infer_type(unknown="float32")),
    "static_shape alone": (MXNetError, _static_shape),
    "compression in main memory": (
        Exception,
        lambda: kvstore.create("local").set_gradient_compression({"type": "2bit"}),
    ),
    "unknown compression": (MXNetError, lambda: kvstore.create("device").set_gradient_compression({"type": "foo"})),
    "update_on_kvstore": (AttributeError, _one_device),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_is_refused(name: str) -> None:
    expected, call = CALLS[name]
    with pytest.raises(expected) as raised:
        call()
    assert raised.type is expected


def test_an_unknown_name_beside_known_ones_is_left_out_where_an_executor_is_bound() -> None:
    executor = _dense().simple_bind(cpu(), data=(2, 3), nope=(2, 3))
    assert executor.arg_dict["f_weight"].shape == (2, 3)


def _differentiate(backward: Callable[..., Any], inputs: int = 1) -> list[Any]:
    class Sum(autograd.Function):
        def forward(self, *arrays: Any) -> Any:
            return sum(arrays[1:], arrays[0]) * 2

    Sum.backward = backward  # type: ignore[method-assign]
    arrays = [nd.ones((2,)) for _ in range(inputs)]
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        result = Sum()(*arrays)
    result.backward()
    return [array.grad.asnumpy().tolist() for array in arrays]


def _raise(_: Any, __: Any) -> Any:
    raise KeyError("no entry")


@pytest.mark.parametrize(
    ("backward", "inputs"),
    [
        (_raise, 1),
        (lambda self, gradient: None, 1),
        (lambda self, gradient: gradient, 2),
        (lambda self, gradient: (gradient, gradient), 1),
        (lambda self, gradient: 3, 1),
        (lambda self, gradient: gradient.asnumpy(), 1),
        (lambda self, gradient: nd.ones((3,)), 1),
    ],
    ids=["raises", "None", "too few", "too many", "number", "numpy", "shape"],
)
def test_a_backward_that_fails(backward: Callable[..., Any], inputs: int) -> None:
    with pytest.raises(MXNetError, match="backward of Sum"):
        _differentiate(backward, inputs)


def test_a_backward_may_return_a_list_and_another_dtype() -> None:
    assert _differentiate(lambda self, gradient: [gradient * 3]) == [[3, 3]]
    assert _differentiate(lambda self, gradient: gradient.astype("float64")) == [[1, 1]]


def test_a_function_is_used_once() -> None:
    class Double(autograd.Function):
        def forward(self, *arrays: Any) -> Any:
            return arrays[0] * 2

    double = Double()
    double(nd.ones(2))
    with pytest.raises(AssertionError, match="can only be called once"):
        double(nd.ones(2))


def test_a_forward_without_an_array() -> None:
    class Nothing(autograd.Function):
        def forward(self, *arrays: Any) -> Any:
            return None

    x = nd.ones(2)
    x.attach_grad()
    with autograd.record(), pytest.raises(TypeError, match="returns no array"):
        Nothing()(x)
