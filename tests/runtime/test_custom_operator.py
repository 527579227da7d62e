"""Operators that users write in Python run eagerly and compiled, with their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import autograd, nd, operator, sym
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.context import cpu
from hybridlint.runtime.gluon import HybridBlock


@operator.register("power_of")
class Power(operator.CustomOpProp):
    """The power `k` of its input, and the input itself."""

    def __init__(self, k: str = "2") -> None:
        super().__init__(need_top_grad=True)
        self.k = int(k)

    def list_outputs(self) -> list[str]:
        return ["power", "same"]

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> operator.CustomOp:
        return PowerOp(self.k)


class PowerOp(operator.CustomOp):
    def __init__(self, k: int) -> None:
        self.k = k

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.assign(out_data[0], req[0], in_data[0] ** self.k)
        self.assign(out_data[1], req[1], in_data[0])

    def backward(  # noqa: PLR0917  (MXNet's own signature)
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        slope = self.k * in_data[0] ** (self.k - 1)
        self.assign(in_grad[0], req[0], out_grad[0] * slope + out_grad[1])


class Net(HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        power, same = F.Custom(x, op_type="power_of", k=3)
        return power + same * 2


@pytest.mark.parametrize("hybrid", [False, True])
def test_runs_with_its_gradient(hybrid: bool) -> None:
    net = Net()
    if hybrid:
        net.hybridize()
    x = nd.array([1.0, 2, 3])
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()
    np.testing.assert_allclose(y.asnumpy(), [3, 12, 33])
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.asnumpy(), [5, 14, 29])


def test_json_round_trip() -> None:
    node = sym.Custom(sym.var("x"), op_type="power_of", k=3, name="p")
    assert node.list_outputs() == ["p_power", "p_same"]
    again = sym.load_json(node.tojson())
    assert again.tojson() == node.tojson()
    np.testing.assert_allclose(again.eval(x=nd.array([2.0]))[0].asnumpy(), [8])


def test_unknown_names_and_parameters() -> None:
    with pytest.raises(MXNetError, match="not registered"):
        nd.Custom(nd.ones((1,)), op_type="no_such_operator")
    with pytest.raises(MXNetError, match="does not take"):
        nd.Custom(nd.ones((1,)), op_type="power_of", colour="red")


class Masking(operator.CustomOp):
    """Keeps what its forward saw for its backward."""

    def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.mask = in_data[0] > 0
        self.assign(out_data[0], req[0], in_data[0] * self.mask)

    def backward(  # noqa: PLR0917  (MXNet's own signature)
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        self.assign(in_grad[0], req[0], out_grad[0] * self.mask)


@operator.register("masking")
class MaskingProp(operator.CustomOpProp):
    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> operator.CustomOp:
        return Masking()


def test_one_computation_runs_forwards_and_backwards() -> None:
    x = nd.array([-1, 2])
    x.attach_grad()
    with autograd.record():
        y = nd.Custom(x, op_type="masking")
    y.backward()
    assert x.grad.asnumpy().tolist() == [0, 1]


@operator.register("constant_of")
class ConstantProp(operator.CustomOpProp):
    """An operator without inputs."""

    def __init__(self, size: str) -> None:
        super().__init__()
        self.size = int(size)

    def list_arguments(self) -> list[str]:
        return []

    def infer_shape(self, in_shape: Any) -> tuple[Any, ...]:
        return [], [(self.size,)], []

    def infer_type(self, in_type: Any) -> tuple[Any, ...]:
        return [], [np.float32], []

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> operator.CustomOp:
        return ConstantOp()


class ConstantOp(operator.CustomOp):
    def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        out_data[0][:] = 3


def test_an_operator_without_inputs() -> None:
    with autograd.record():
        made = nd.Custom(op_type="constant_of", size=2)
    assert made.asnumpy().tolist() == [3, 3]


class Halving(operator.NumpyOp):
    def forward(self, in_data: Any, out_data: Any) -> None:
        out_data[0][:] = in_data[0] / 2

    def backward(self, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any) -> None:
        in_grad[0][:] = np.asarray(out_grad[0]) / 2


def test_operators_of_the_older_kind() -> None:
    for op, value, slope in ((Halving(), [2, 4], [0.5, 1]), (operator.NDArrayOp(), [4, 8], [1, 1])):
        gradient = nd.zeros((2,))
        executor = op.get_symbol(sym.var("x"), name="old").bind(cpu(), [nd.array([4, 8])], [gradient])
        assert executor.forward(is_train=True)[0].asnumpy().tolist() == value
        executor.backward(nd.array([1, 2]))
        assert gradient.asnumpy().tolist() == slope


def test_all_operators_are_listed() -> None:
    assert {"Activation", "FullyConnected", "_contrib_quantize"} <= set(operator.get_all_registered_operators())


class FailingOp(operator.CustomOp):
    def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        raise KeyError("nothing")


@operator.register("failing")
class FailingProp(operator.CustomOpProp):
    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> operator.CustomOp:
        return FailingOp()


def test_a_failure_is_an_error_of_mxnet() -> None:
    with pytest.raises(MXNetError, match="KeyError: 'nothing'"):
        nd.Custom(nd.ones((1,)), op_type="failing")


def test_what_an_operator_takes_can_be_asked() -> None:
    found = operator.get_operator_arguments("Activation")
    assert isinstance(found, operator.OperatorArguments)
    choices = "{'relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'}, required"
    assert found == (2, ["data", "act_type"], ["NDArray-or-Symbol", choices])
    found = operator.get_operator_arguments("FullyConnected")
    assert found.names == ["data", "weight", "bias", "num_hidden", "no_bias", "flatten"]
    assert found.types[3:] == ["int, required", "boolean, optional, default=0", "boolean, optional, default=1"]
    found = operator.get_operator_arguments("Concat")
    assert dict(zip(found.names, found.types, strict=True)) == {
        "data": "NDArray-or-Symbol[]",
        "num_args": "int, required",
        "dim": "int, optional, default='1'",
    }
    with pytest.raises(MXNetError, match="nope is not registered"):
        operator.get_operator_arguments("nope")


class SquaredLossOp(operator.CustomOp):
    """A loss: its gradient is half of its data."""

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.assign(out_data[0], req[0], in_data[0])

    def backward(  # noqa: PLR0917  (MXNet's own signature)
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        assert [g.shape for g in out_grad] == [()]
        self.assign(in_grad[0], req[0], in_data[0] / 2)


@operator.register("squared_loss")
class SquaredLoss(operator.CustomOpProp):
    def __init__(self) -> None:
        super().__init__(need_top_grad=False)

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> operator.CustomOp:
        return SquaredLossOp()


def test_an_operator_that_reads_no_gradient_of_its_output_is_a_loss() -> None:
    executor = sym.Custom(sym.var("x"), op_type="squared_loss").simple_bind(cpu(), x=(2,))
    executor.forward(is_train=True, x=nd.array([2, 4]))
    executor.backward()
    assert executor.grad_dict["x"].asnumpy().tolist() == [1, 2]
    x = nd.array([2, 4])
    x.attach_grad()
    with autograd.record():
        y = nd.Custom(x, op_type="squared_loss") * 3
    y.backward()
    assert x.grad.asnumpy().tolist() == [1, 2]
