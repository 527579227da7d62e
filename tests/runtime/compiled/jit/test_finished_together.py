"""Many functions of sums of products are computed for several vectors at once, where registers are enough for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from hybridlint.runtime.symbol.symbol import Symbol
from tests.runtime.compiled.jit.engines import compiled, each_target, engine, graph_of, matches, native

#: A vector that stands for four of the processor with the most registers.
FOUR = "<64 x float>"


@native
@each_target
@pytest.mark.parametrize("columns", [64, 37, 5])
@pytest.mark.parametrize(
    ("function", "many"),
    [
        (sym.erf, True),
        (lambda x: sym.where(x > 0, sym.exp(x) * sym.erf(x), sym.tanh(x)), True),
        (sym.relu, False),
        (sym.sigmoid, False),
    ],
    ids=["erf", "of all kinds", "relu", "sigmoid"],
)
def test_vectors_are_finished_together(
    function: Callable[[Symbol], Symbol], many: bool, columns: int, target: TargetProcessor
) -> None:
    dense = sym.FullyConnected(sym.var("x"), sym.var("w"), sym.var("b"), num_hidden=columns)
    graph = graph_of(function(dense), {"x": (27, 40), "w": (columns, 40), "b": (columns,)})
    executor = compiled(engine(target), graph)
    assert (FOUR in executor.source) == (many and target.lanes == 16)
    matches(executor, graph)
