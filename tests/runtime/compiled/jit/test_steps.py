"""What a recurrent layer makes of its data: step by step where all steps together would leave the processor's cache."""

from __future__ import annotations

import numpy as np
import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.jit.segment import NativeSegment
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.ops.nn.cells import CELLS
from hybridlint.runtime.platforms.protocol import Raw
from tests.runtime.compiled.jit.engines import compiled, draw, each_target, engine, graph_of, kernels, matches, native

#: With four gates of this size, eight steps of 32 rows make 262,144 numbers.
SIZE = 256


def layer(mode: str, steps: int, rows: int, *, both: bool = False, layers: int = 1) -> Graph:
    """Return the graph of recurrent layers for three numbers a step and row."""
    ways, gates = 2 if both else 1, CELLS[mode].gates
    widths = [3, *[ways * SIZE] * (layers - 1)]
    count = sum(ways * gates * SIZE * (width + SIZE + 2) for width in widths)
    states = dict.fromkeys("hc" if mode == "lstm" else "h", (layers * ways, rows, SIZE))
    shapes = {"x": (steps, rows, 3), "p": (count,), **states}
    made = sym.RNN(*map(sym.var, shapes), state_size=SIZE, num_layers=layers, mode=mode, bidirectional=both)
    return graph_of(made, shapes)


def small(graph: Graph) -> list[Raw]:
    """Return arrays for a graph that are so small that no difference grows from step to step."""
    return [raw * np.float32(0.05) for raw in draw(graph)]


@native
@each_target
@pytest.mark.parametrize(("mode", "both", "layers"), [("lstm", False, 1), ("gru", False, 1), ("gru", True, 2)])
def test_each_step_takes_its_own_rows(mode: str, both: bool, layers: int, target: TargetProcessor) -> None:
    """Every step of every run has two products: of its data, and of the state before it."""
    steps = 11 if mode == "gru" else 8
    graph = layer(mode, steps, 32, both=both, layers=layers)
    executor = compiled(engine(target), graph)
    assert kernels(executor)["NativeProduct"] == 2 * steps * layers * (2 if both else 1)
    matches(executor, graph, arrays=small(graph))


@native
@each_target
def test_a_step_takes_the_memory_of_the_one_before(target: TargetProcessor) -> None:
    """Nothing is made for all steps at once."""
    graph = layer("lstm", 24, 32)
    (segment,) = compiled(engine(target), graph).work
    assert isinstance(segment, NativeSegment)
    assert segment.arena.size < 4 * 32 * 4 * SIZE * 4


@native
@each_target
@pytest.mark.parametrize(("steps", "rows"), [(7, 32), (64, 4)])
def test_few_steps_and_few_rows_are_multiplied_together(steps: int, rows: int, target: TargetProcessor) -> None:
    """A cache holds few steps anyway, and for few rows all weights would be read again and again."""
    graph = layer("lstm", steps, rows)
    executor = compiled(engine(target), graph)
    assert kernels(executor)["NativeProduct"] == steps + 1
    matches(executor, graph, arrays=small(graph))


def looked_at(*, whole: bool) -> Graph:
    """Return a graph that squares the steps of a dense layer one by one, and returns all of the layer if `whole`."""
    flat = sym.reshape(sym.var("x"), shape=(-1, 3))
    dense = sym.FullyConnected(flat, sym.var("w"), sym.var("b"), num_hidden=4 * SIZE)
    steps = sym.reshape(dense, shape=(8, 32, 4 * SIZE))
    outputs = [sym.square(part) for part in sym.split(steps, num_outputs=8, axis=0, squeeze_axis=True)]
    shapes = {"x": (8, 32, 3), "w": (4 * SIZE, 3), "b": (4 * SIZE,)}
    return graph_of(sym.Group([*outputs, steps] if whole else outputs), shapes)


@native
@each_target
@pytest.mark.parametrize("whole", [False, True])
def test_products_that_are_seen_whole_are_computed_at_once(whole: bool, target: TargetProcessor) -> None:
    graph = looked_at(whole=whole)
    executor = compiled(engine(target), graph)
    assert kernels(executor)["NativeProduct"] == (1 if whole else 8)
    matches(executor, graph)
