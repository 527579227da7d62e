"""Which kind of array is made, taken and given back: that of numpy mode, or the legacy one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hybridlint.runtime import autograd, gluon, nd, np, util
from hybridlint.runtime.base import MXNetError


@util.use_np
class Product(gluon.HybridBlock):
    """A product with a parameter of its own."""

    def __init__(self, rows: int = 3) -> None:
        super().__init__()
        self.weight = self.params.get("weight", shape=(rows, 2), allow_deferred_init=True, init="ones")

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        return F.np.dot(x, weight)


def test_a_gradient_starts_at_any_operator() -> None:
    a, b = np.array([2.0, 3.0]), np.array([5.0, 7.0])
    a.attach_grad()
    b.attach_grad()
    cases: list[tuple[Callable[[], Any], list[float]]] = [
        (lambda: a * b, [5, 7]),
        (lambda: a / b, [0.2, 1 / 7]),
        (lambda: a**2, [4, 6]),
    ]
    for function, of_a in cases:
        with autograd.record():
            y = function()
        y.backward()
        assert type(a.grad) is np.ndarray
        assert a.grad.asnumpy().tolist() == pytest.approx(of_a)


@pytest.mark.parametrize("hybridized", [False, True])
def test_a_class_in_numpy_mode_runs_what_it_inherits_there(hybridized: bool) -> None:
    net = Product()
    net.initialize()
    if hybridized:
        net.hybridize()
    assert type(net.weight.data()) is np.ndarray
    out = net(np.ones((4, 3)))
    assert type(out) is np.ndarray
    assert out.asnumpy().tolist() == [[3, 3]] * 4


def test_an_operator_of_numpy_mode_refuses_legacy_arrays() -> None:
    net = Product()
    net.initialize()
    with pytest.raises(TypeError, match="_np_dot"):
        net(nd.ones((4, 3)))


@pytest.mark.parametrize("hybridized", [False, True])
def test_a_size_that_is_summed_over_is_inferred(hybridized: bool) -> None:
    net = Product(rows=0)
    net.initialize()
    if hybridized:
        net.hybridize()
    assert net(np.ones((4, 5))).shape == (4, 2)
    assert net.weight.shape == (5, 2)


def test_what_is_inherited_stays_as_it_was_for_other_classes() -> None:
    class Base:
        def mode(self) -> bool:
            return util.is_np_array()

        @property
        def seen(self) -> bool:
            return util.is_np_array()

    @util.use_np
    class Derived(Base):
        pass

    assert (Derived().mode(), Derived().seen) == (True, True)
    assert (Base().mode(), Base().seen) == (False, False)


def test_a_trace_takes_its_inputs_as_they_are() -> None:
    net = gluon.nn.Dense(2, in_units=3)
    net.initialize()
    net.hybridize()
    with pytest.raises(TypeError, match="legacy"):
        net(np.ones((4, 3)))


def test_whatever_a_trace_for_shapes_raises_is_a_value_error() -> None:
    class Failing(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.weight = self.params.get("weight", shape=(0, 2), allow_deferred_init=True)

        def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
            raise ZeroDivisionError("by nothing")

    net = Failing()
    net.initialize()
    with pytest.raises(ValueError, match=r"Deferred initialization failed .* by nothing"):
        net(nd.ones((2, 3)))


def test_true_fills_an_array_of_booleans() -> None:
    assert np.full((2,), True).asnumpy().tolist() == [True, True]
    assert np.full((2,), True, dtype="int32").asnumpy().tolist() == [1, 1]
    assert np.full_like(np.ones((1,)), False).dtype == "bool"


def test_orders_of_memory() -> None:
    x = np.ones((2, 3))
    assert x.astype("int32", order="C").dtype == "int32"
    calls: list[Callable[[], Any]] = [
        lambda: x.copy(order="F"),
        lambda: np.empty((2,), order="F"),
        lambda: np.zeros((2,), order="F"),
    ]
    for call in calls:
        with pytest.raises(NotImplementedError, match="F"):
            call()
    for given, said in ((("int32", "F"), "order"), (("int32", "K", "safe"), "casting")):
        with pytest.raises(ValueError, match=said):
            x.astype(*given)


def test_draws_without_outcomes_are_empty() -> None:
    assert np.random.multinomial(10, []).shape == (0,)
    with util.np_shape():
        assert np.random.multinomial(10, np.array([]), size=(3, 2)).shape == (3, 2, 0)
        with pytest.raises(MXNetError):
            np.random.multinomial(10, np.ones((2, 0)))
