"""The symbol of numpy mode: what works as on arrays, and what fails as in MXNet."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as onp
import pytest

from hybridlint.runtime import autograd, np, npx, sym
from hybridlint.runtime.base import MXNetError, NotImplementedForSymbol
from hybridlint.runtime.gluon import HybridBlock
from tests.closeness import assert_same_numbers


@pytest.fixture(autouse=True)
def numpy_mode() -> Iterator[None]:
    npx.set_np()
    yield
    npx.reset_np()


class Net(HybridBlock):
    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.function = function

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.function(F, x)


def variable() -> Any:
    return sym.var("x").as_np_ndarray()


WORKING: list[Callable[[Any, Any], Any]] = [
    lambda F, x: x + x.sum(axis=0),
    lambda F, x: x[1] * 2,
    lambda F, x: x[:, 0] + 1,
    lambda F, x: x[0, 1:] * 1,
    lambda F, x: x[:, -1] * 1,
    lambda F, x: x.T.reshape(2, 3) * 2,
    lambda F, x: F.np.dot(x, x.T),
    lambda F, x: F.np.concatenate([x, x], axis=None),
    lambda F, x: F.np.where(x > 2, x, 0.0),
    lambda F, x: F.np.stack(F.np.split(x, 3, axis=1)),
    lambda F, x: F.npx.softmax(x, axis=0),
    lambda F, x: F.npx.relu(x - 3),
    lambda F, x: F.np.einsum("ij,kj->ik", x, x),
    lambda F, x: F.np.linalg.norm(x, axis=1),
    lambda F, x: x.clip(2, 4) ** 2 / x,
    lambda F, x: F.np.tensordot(x, x, axes=([0], [0])),
    lambda F, x: F.npx.reshape(x, (-5,)) + F.np.ones((6,)),
    lambda F, x: F.np.unique(x),
    lambda F, x: x.mean().reshape(1, 1) - x,
]


@pytest.mark.parametrize("function", WORKING)
def test_traced_equals_eager(function: Callable[[Any, Any], Any]) -> None:
    x = np.array([[1.0, 2, 3], [4, 5, 6]])
    net = Net(function)
    eager = net(x)
    net.hybridize()
    compiled = net(x)
    assert type(compiled) is np.ndarray
    assert (eager.shape, eager.dtype) == (compiled.shape, compiled.dtype)
    assert_same_numbers(eager.asnumpy(), compiled.asnumpy())


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (lambda x: x.shape, AttributeError),
        (lambda x: x.dtype, AttributeError),
        (lambda x: x.exp(), AttributeError),
        (lambda x: x.broadcast_to((2, 3)), AttributeError),
        (abs, AttributeError),
        (bool, NotImplementedForSymbol),
        (lambda x: x.asnumpy(), NotImplementedForSymbol),
        (lambda x: x.copy(), NotImplementedForSymbol),
        (lambda x: x.__iadd__(1), NotImplementedForSymbol),
        (lambda x: x.__itruediv__(1), NotImplementedError),
        (lambda x: x.__setitem__(0, 1), NotImplementedError),
        (len, TypeError),
        (list, TypeError),
        (lambda x: x @ x, TypeError),
        (lambda x: x & x, TypeError),
        (lambda x: x + None, TypeError),
        (sym.exp, TypeError),
        (lambda x: sym.np.exp(sym.var("y")), TypeError),
        (lambda x: x[None], IndexError),
        (lambda x: x[..., 0], IndexError),
        (lambda x: x[[0, 1]], IndexError),
        (lambda x: x[x], IndexError),
        (lambda x: x[True], MXNetError),
    ],
)
def test_limits(function: Callable[[Any], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        function(variable())


def test_names_are_those_of_mxnet() -> None:
    x = variable()
    nodes = json.loads((F_sum := (x * 2.5).sum(axis=0)).tojson())["nodes"]
    assert F_sum.list_outputs()[0].endswith("_output")
    assert [n["op"] for n in nodes] == ["null", "_npi_multiply_scalar", "_np_sum"]
    assert nodes[1]["attrs"] == {"is_int": "False", "scalar": "2.5"}


def test_a_number_that_is_no_integer_changes_the_dtype_in_a_trace_only() -> None:
    x = np.array([1, 2], dtype="int32")
    net = Net(lambda F, x: x * 2.5)
    assert net(x).dtype == "int32"
    net.hybridize()
    assert net(x).dtype == "float64"


@pytest.mark.parametrize(("path", "name"), [((), "nonzero"), (("random",), "multinomial")])
def test_functions_that_only_arrays_have(path: tuple[str, ...], name: str) -> None:
    eager, traced = np, sym.np
    for part in path:
        eager, traced = getattr(eager, part), getattr(traced, part)
    assert callable(getattr(eager, name))
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}'"):
        getattr(traced, name)
    assert name not in dir(traced)


SAME_AS_ARRAYS: list[Callable[[Any, Any], Any]] = [
    lambda F, x: F.np.atleast_2d(x, x),
    lambda F, x: F.npx.topk(x, k=2, ret_typ="both")[-1],
    lambda F, x: F.np.split(x, 3, axis=1)[-1],
    lambda F, x: ((x > 0) * (x < 2)) * x,
    lambda F, x: F.np.random.gamma(2.0) * x * 0,
    lambda F, x: F.np.random.chisquare(2.0) * x * 0,
    lambda F, x: F.np.random.beta(2.0, 1.0, size=(2, 3)) * x * 0,
]


def _leaves(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, list) else [value.asnumpy()]


@pytest.mark.parametrize("function", SAME_AS_ARRAYS)
def test_what_mxnet_computes_of_symbols_as_of_arrays(function: Callable[[Any, Any], Any]) -> None:
    """Measured: eagerly and hybridized MXNet gives the same, recorded or not."""
    results = []
    for compiled in (False, True):
        net = Net(function)
        if compiled:
            net.hybridize()
        x = np.arange(6).reshape(2, 3) - 2
        x.attach_grad()
        with autograd.record():
            out = _as_list(net(x))
            total = sum(part.sum() for part in out)
        total.backward()
        results.append((_leaves(out), x.grad.asnumpy()))
    (eager, first), (traced, second) = results
    assert all(onp.array_equal(a, b) for a, b in zip(eager, traced, strict=True))
    assert onp.array_equal(first, second)


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]
