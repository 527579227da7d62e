"""foreach, while_loop and cond: traced and compiled they give what plain Python gives, gradients included."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest

from hybridlint.runtime import autograd, nd, random, sym
from hybridlint.runtime.attribute import AttrScope
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.context import cpu
from hybridlint.runtime.gluon import HybridBlock
from hybridlint.runtime.ndarray.ndarray import NDArray
from tests.closeness import assert_same_numbers


class Net(HybridBlock):
    """A block around a function of F and one tensor."""

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.function = function

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.function(F, x)


def both(function: Callable[[Any, Any], Any], data: NDArray) -> list[tuple[Any, Any]]:
    """Return output and gradient, eager and hybridized."""
    found = []
    for hybrid in (False, True):
        net = Net(function)
        if hybrid:
            net.hybridize()
        x = data.copy()
        x.attach_grad()
        random.seed(3)
        with autograd.record():
            y = net(x)
        y.backward()
        found.append((y.asnumpy(), x.grad.asnumpy() if x.grad is not None else None))
    return found


def assert_same(pair: list[tuple[Any, Any]]) -> None:
    (eager, eager_gradient), (hybrid, hybrid_gradient) = pair
    assert_same_numbers(eager, hybrid)
    assert_same_numbers(eager_gradient, hybrid_gradient)


DATA = nd.array([[1.0, 2, 3], [4, 5, 6]])


def accumulate(F: Any, x: Any) -> Any:
    outputs, state = F.contrib.foreach(lambda d, s: (d * s, s + d), x, F.ones((3,)))
    return outputs.sum() + state.sum()


def closed_over(F: Any, x: Any) -> Any:
    total = x.sum(axis=0)
    outputs, _ = F.contrib.foreach(lambda d, s: (d * total, s + d), x, F.zeros((3,)))
    return outputs


def several(F: Any, x: Any) -> Any:
    (first, second), (a, _) = F.contrib.foreach(
        lambda d, s: ([d[0] + s[0], d[1] * s[1]], [s[0] + d[1], s[1] * 2]), [x, x * 2], [F.zeros((3,)), F.ones((3,))]
    )
    return first + second + F.broadcast_add(first, a.reshape((1, 3)))


def nested(F: Any, x: Any) -> Any:
    def row(d: Any, s: Any) -> Any:
        inner, _ = F.contrib.foreach(lambda e, t: (e * 2 + t, t + e), d, F.zeros((1,)))
        return inner, s + d

    return F.contrib.foreach(row, x, F.zeros((3,)))[0]


def doubling(F: Any, x: Any) -> Any:
    steps, (_, y) = F.contrib.while_loop(
        lambda i, y: i < 3, lambda i, y: (y, [i + 1, y * 2]), [F.zeros((1,)), x], max_iterations=5
    )
    return steps.sum() + y.sum()


def chosen(F: Any, x: Any) -> Any:
    return F.contrib.cond(x.sum() > 0, lambda: x * 2, lambda: x * 3)


def noisy(F: Any, x: Any) -> Any:
    outputs, _ = F.contrib.foreach(lambda d, s: (F.Dropout(d, p=0.5) + s, s + d), x, F.zeros((3,)))
    return outputs


@pytest.mark.parametrize("function", [accumulate, closed_over, several, nested, doubling, chosen, noisy])
def test_traced_equals_eager(function: Callable[[Any, Any], Any]) -> None:
    assert_same(both(function, DATA))


def test_cond_chooses_at_each_call() -> None:
    net = Net(chosen)
    net.hybridize()
    assert net(nd.ones((2,))).asnumpy().tolist() == [2, 2]
    assert net(-nd.ones((2,))).asnumpy().tolist() == [-3, -3]


def test_rows_after_the_last_step_are_zeros() -> None:
    outputs, state = nd.contrib.while_loop(lambda i: i < 2, lambda i: (i + 5, [i + 1]), [nd.zeros((1,))], 4)
    assert outputs.asnumpy().tolist() == [[5], [6], [0], [0]]
    assert state[0].asscalar() == 2


def test_while_loop_without_a_step() -> None:
    outputs, state = nd.contrib.while_loop(lambda i: i < 0, lambda i: (i, [i + 1]), [nd.zeros((1,))], 4)
    assert outputs == []
    assert state[0].asscalar() == 0
    net = Net(lambda F, x: F.contrib.while_loop(lambda i: i < 0, lambda i: (i, [i + 1]), [x], max_iterations=4)[0])
    net.hybridize()
    unwritten = net(nd.zeros((1,)))
    for read in (unwritten.asnumpy, lambda: unwritten + 1, lambda: unwritten[0], lambda: nd.concat(unwritten, dim=0)):
        with pytest.raises(MXNetError, match="without a single step"):
            read()


def test_a_symbol_of_a_loop_without_a_step_gives_its_variables() -> None:
    outputs, (last,) = sym.contrib.while_loop(lambda i: i < 0, lambda i: (i, [i * 3]), [sym.var("i")], max_iterations=4)
    given, gradient = nd.ones((1,)), nd.zeros((1,))
    executor = (last * 2).bind(cpu(), {"i": given}, {"i": gradient, "unused": nd.ones((1,))})
    assert executor.forward(is_train=True)[0].asscalar() == 2
    executor.backward(nd.ones((1,)))
    assert gradient.asscalar() == 2
    assert set(executor.grad_dict) == {"i"}
    with pytest.raises(MXNetError, match="without a single step"):
        (outputs * 2).bind(cpu(), {"i": given}).forward()


def test_loop_variables_come_back_as_they_were_given() -> None:
    def loop(F: Any, x: Any) -> Any:
        return F.contrib.while_loop(lambda i: i < 2, lambda i: (i, i + 1), (x,), max_iterations=4)

    net = Net(loop)
    for _ in range(2):
        _, after = net(nd.zeros((1,)))
        assert [x.asscalar() for x in after] == [2]
        net.hybridize()


def test_loops_and_branches_are_counted_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AttrScope, "_subgraph_names", defaultdict(int))
    for _ in range(2):
        net = Net(lambda F, x: F.contrib.cond(x > 0, lambda: x, lambda: x * 2, name="choice"))
        net.hybridize()
        net(nd.ones((1,)))
    assert AttrScope._subgraph_names == {"choice_pred": 2, "choice_then": 2, "choice_else": 2}


def test_condition_must_be_one_number() -> None:
    with pytest.raises(ValueError, match="not a scalar"):
        nd.contrib.cond(nd.ones((2,)), lambda: DATA, lambda: DATA)
    net = Net(lambda F, x: F.contrib.cond(x > 0, lambda: x, lambda: x * 2))
    net.hybridize()
    with pytest.raises(MXNetError):
        net(DATA)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: sym.contrib.foreach(lambda d, s: (d, s), x, 1), AssertionError),
        (lambda x: sym.contrib.foreach(lambda d, s: (s, s), x, x), AssertionError),
        (lambda x: sym.contrib.foreach(lambda d, s: (d, d), x, x), AssertionError),
        (lambda x: sym.contrib.while_loop(lambda i: i < 1, lambda i: (i, i), x), ValueError),
        (lambda x: sym.contrib.while_loop(lambda i: i < 1, lambda i: (i, [i, i]), [x], 3), ValueError),
        (lambda x: sym.contrib.while_loop(lambda: x, lambda: x, [], 3), ValueError),
        (lambda x: sym.contrib.cond(x, lambda: [x, x], lambda: x), ValueError),
        (lambda x: sym.contrib.cond(1, lambda: x, lambda: x), AssertionError),
    ],
)
def test_misuse_of_symbols(call: Callable[[Any], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        call(sym.var("x"))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: nd.contrib.foreach(lambda d, s: (d, s), DATA, 0), AssertionError),
        (lambda: nd.contrib.foreach(lambda d, s: (1, s), DATA, DATA), AssertionError),
        (lambda: nd.contrib.while_loop(lambda i: i < 1, lambda i: (i, i), DATA), ValueError),
        (lambda: nd.contrib.while_loop(lambda: DATA, lambda: DATA, [], 3), ValueError),
        (lambda: nd.contrib.while_loop(lambda i: i < 3, lambda i: (i, [i + 1, i]), [nd.zeros((1,))], 3), ValueError),
    ],
)
def test_misuse_of_arrays(call: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda F, x: F.contrib.cond(F.cast(x.sum(), "int32") > 0, lambda: x, lambda: -x), "got int32"),
        (lambda F, x: F.contrib.cond(x.sum() > 0, lambda: F.cast(x, "float64"), lambda: -x), "got float32"),
    ],
    ids=["condition", "outputs"],
)
def test_types_that_a_traced_branch_refuses(function: Callable[[Any, Any], Any], message: str) -> None:
    net = Net(function)
    net(nd.ones((2,)))
    net.hybridize()
    with pytest.raises(MXNetError, match=message):
        net(nd.ones((2,)))


def _counted(F: Any, counter: Any, until: float, limit: int = 4) -> Any:
    return F.contrib.while_loop(lambda i: i < until, lambda i: (i * 2, i + 1), counter, max_iterations=limit)[1]


@pytest.mark.parametrize(
    ("function", "raises"),
    [
        (lambda F, x: _counted(F, x, 3), True),
        (lambda F, x: _counted(F, x * 1, 3), True),
        (lambda F, x: _counted(F, x.exp().log(), 3).exp().log(), False),
        (lambda F, x: _counted(F, x, 3, limit=1), False),
        (lambda F, x: _counted(F, F.zeros((1,)), 3) * x, False),
    ],
    ids=["input", "computed, recorded node by node", "computed", "evaluated once", "a counter of its own"],
)
def test_a_condition_on_the_tape_is_evaluated_once(function: Callable[[Any, Any], Any], raises: bool) -> None:
    """Measured on MXNet 1.9.1, which records the condition, too."""
    net, x = Net(function), nd.ones((1,))
    x.attach_grad()
    net.hybridize()
    net(x).wait_to_read()
    with autograd.record():
        if raises:
            with pytest.raises(MXNetError, match="give it a counter of its own"):
                net(x)
        else:
            net(x)
    with autograd.record():
        net(nd.ones((1,)))


def test_an_executor_evaluates_conditions_without_recording() -> None:
    x, start = sym.Variable("x"), nd.array([1.0])
    total = _counted(sym, x, 3)
    executor = total.bind(cpu(), {"x": start}, {"x": nd.zeros((1,))})
    executor.forward(is_train=True)
    executor.backward(nd.ones((1,)))
    assert executor.outputs[0].asnumpy().tolist() == [3]
    assert executor.grad_dict["x"].asnumpy().tolist() == [1]
