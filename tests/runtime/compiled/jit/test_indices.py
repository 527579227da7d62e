"""Elements that are chosen by indices in float32 are found by comparing, within the loop that needs them."""

from __future__ import annotations

import numpy as np
import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from hybridlint.runtime.compiled.gradient import differentiate
from hybridlint.runtime.compiled.lowering.lowering import sizes_of
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.symbol.symbol import Symbol
from tests.runtime.compiled.jit.engines import compiled, each_target, engine, graph_of, matches, native

X, INDEX = sym.var("x"), sym.var("index")
#: Within bounds, with fractions, and beyond both ends.
INDICES = np.array([0, 2.7, -1, 19, 5, -40, 19.5, 31], "float32")
NUMBERS = np.random.default_rng(0).normal(size=(8, 20)).astype("float32")


@native
@each_target
@pytest.mark.parametrize(
    "symbol",
    [
        sym.pick(X, INDEX),
        sym.pick(X, INDEX, keepdims=True, mode="wrap"),
        sym.pick(sym.transpose(X), INDEX, axis=0),
        sym.one_hot(INDEX, depth=20, on_value=2.0, off_value=-1.0) + X,
    ],
    ids=["clip", "wrap", "first axis", "one hot"],
)
def test_choices_are_those_of_numpy(symbol: Symbol, target: TargetProcessor) -> None:
    graph = graph_of(symbol, {"x": (8, 20), "index": (8,)})
    executor = compiled(engine(target), graph)
    assert [step.reason for step in executor.steps] == [None]
    given = {"x": NUMBERS, "index": INDICES}
    matches(executor, graph, arrays=[given[name] for name in symbol.list_inputs()])


@native
@each_target
@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_the_gradient_of_a_pick(mode: str, target: TargetProcessor) -> None:
    graph = graph_of(sym.pick(X, INDEX, mode=mode), {"x": (8, 20), "index": (8,)})
    pulled = optimize(differentiate(graph, [0], True).backward)
    executor = compiled(engine(target), pulled)
    assert [step.reason for step in executor.steps] == [None]
    head = np.arange(8, dtype="float32")
    given = {(8, 20): [NUMBERS], (8,): [INDICES, head]}
    arrays = [given[sizes_of(pulled.types[v])].pop(0) for v in pulled.inputs]
    matches(executor, pulled, arrays=arrays)
