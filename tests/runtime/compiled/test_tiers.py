"""Further sizes of a graph run on a stand-in until they are called often, and give the same."""

from __future__ import annotations

import numpy as np
import pytest

from hybridlint.runtime import autograd, gluon, nd
from hybridlint.runtime.compiled.engines.choice import PLAIN, chosen_engine
from hybridlint.runtime.compiled.tiers import CALLS, FIRST_CALLS, LARGE, VARIABLE, Tiers
from hybridlint.runtime.gluon import nn

pytest.importorskip("llvmlite")


@pytest.fixture
def net(monkeypatch: pytest.MonkeyPatch) -> nn.HybridSequential:
    monkeypatch.setenv("HYBRIDLINT_ENGINE", "jit")
    made = nn.HybridSequential()
    made.add(nn.Dense(5, activation="tanh"), nn.Dense(3))
    made.initialize()
    made.hybridize()
    return made


def _engines(net: nn.HybridSequential) -> dict[int, str]:
    """Return the engine of each compiled graph by the number of rows that it is for."""
    return {graph.inputs[0][1][0]: graph.executor.steps[0].engine for graph in net.explain().graphs}


def test_the_first_size_is_native_and_the_next_is_when_it_is_called_often(net: nn.HybridSequential) -> None:
    net(nd.ones((2, 4)))
    for calls in range(1, CALLS + 2):
        net(nd.ones((7, 4)))
        assert _engines(net) == {2: "jit", 7: "numpy" if calls <= CALLS else "jit"}


def test_both_tiers_give_the_same(net: nn.HybridSequential) -> None:
    net(nd.ones((2, 4)))
    x = nd.array(np.linspace(-1, 1, 28).reshape(7, 4))
    results = [net(x).asnumpy() for _ in range(CALLS + 2)]
    np.testing.assert_allclose(results[-1], results[0], rtol=1e-6, atol=1e-7)


def test_training_waits_too(net: nn.HybridSequential) -> None:
    weights = net.collect_params()

    def gradient(rows: int) -> np.ndarray:
        with autograd.record():
            loss = gluon.loss.L2Loss()(net(nd.ones((rows, 4))), nd.zeros((rows, 3)))
        loss.backward()
        return np.concatenate([weights[name].grad().asnumpy().ravel() for name in weights])

    gradient(2)
    found = [gradient(7) for _ in range(CALLS + 2)]
    np.testing.assert_allclose(found[-1], found[0], rtol=1e-5, atol=1e-7)
    uses = [graph.use for graph in net.explain().graphs if graph.inputs and graph.inputs[0][1][0] == 7]
    assert uses == ["recorded, in train mode"]


def test_what_waits_is_said(net: nn.HybridSequential) -> None:
    net(nd.ones((2, 4)))
    net(nd.ones((3, 4)))
    first, second = [graph.use for graph in net.explain().graphs]
    assert (first, second) == ("predicting", "predicting, without native code until it is called often")


def test_a_variable_says_after_how_many_calls(net: nn.HybridSequential, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "0")
    net(nd.ones((2, 4)))
    net(nd.ones((3, 4)))
    assert set(_engines(net).values()) == {"jit"}


def test_an_engine_that_compiles_quickly_has_no_stand_in() -> None:
    tiers = Tiers()
    assert [tiers.engine(PLAIN, "use", key, 9) for key in range(3)] == [PLAIN] * 3


def test_the_first_size_of_a_large_graph_gets_native_code_after_a_few_calls() -> None:
    tiers, engine = Tiers(), chosen_engine("jit")
    assert tiers.engine(engine, "use", "first", LARGE + 1) is engine.stand_in
    assert [tiers.is_due("first") for _ in range(FIRST_CALLS)] == [False] * (FIRST_CALLS - 1) + [True]
    assert tiers.engine(engine, "use", "second", LARGE + 1) is engine.stand_in
    assert [tiers.is_due("second") for _ in range(FIRST_CALLS)] == [False] * FIRST_CALLS


def test_counts_are_bounded() -> None:
    tiers, engine = Tiers(), chosen_engine("jit")
    for key in range(10_000):
        tiers.engine(engine, "use", key, 9)
    assert tiers.is_waiting(9_999)
    assert not tiers.is_waiting(1)
