"""Panels of products that the first cache does not hold are asked for before they are read."""

from __future__ import annotations

import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from tests.runtime.compiled.jit.engines import compiled, each_target, engine, graph_of, matches, native

#: How the code of a processor asks for what is read soon.
SOON = "i32 0, i32 3, i32 1)"


@native
@each_target
@pytest.mark.parametrize(("inner", "columns", "asked"), [(1024, 96, True), (700, 33, True), (100, 96, False)])
def test_a_long_panel_is_asked_for_line_by_line(inner: int, columns: int, asked: bool, target: TargetProcessor) -> None:
    dense = sym.FullyConnected(sym.var("x"), sym.var("w"), no_bias=True, num_hidden=columns)
    graph = graph_of(dense, {"x": (24, inner), "w": (columns, inner)})
    executor = compiled(engine(target), graph)
    # The panels of the smallest processors are narrower than a line of the cache.
    assert (SOON in executor.source) == (asked and target.name != "portable")
    matches(executor, graph)
