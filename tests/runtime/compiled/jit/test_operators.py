"""Every operator that has native code computes the same as its kernel, on all its samples."""

from __future__ import annotations

import numpy as np
import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.choice import PLAIN
from hybridlint.runtime.compiled.engines.jit.functions import ABILITIES
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from hybridlint.runtime.compiled.lowering.lowering import Lowering
from hybridlint.runtime.compiled.lowering.values import CannotLower
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.util import np_shape
from tests.runtime.compiled.jit.engines import assert_same, compiled, each_target, engine, native
from tests.runtime.compiled.lowered import calls


@native
@each_target
def test_operators_compute_the_same_as_their_kernels(target: TargetProcessor) -> None:
    made = engine(target)
    with np_shape(True):
        symbols, given, names = calls(ABILITIES)
        together = sym.Group(symbols)
        graph = lower(together, {name: TensorType(a.shape, a.dtype.name) for name, a in given.items()})
        executor = compiled(made, graph)
        arrays = [given[name] for name in together.list_inputs()]
        assert_same(executor(arrays), PLAIN.compile(graph, training=False)(arrays))
    assert [step.reason for step in executor.steps] == [None]
    assert len(names) > 200
    assert {"FullyConnected", "softmax", "LayerNorm", "BatchNorm", "batch_dot", "RNN", "LeakyReLU"} <= names


@native
@pytest.mark.parametrize(("dtype", "reason"), [("int32", "a result of int32"), ("float64", "a result of float64")])
def test_other_element_types_are_the_plain_engines(dtype: str, reason: str) -> None:
    graph = lower(sym.exp(sym.var("x")), {"x": TensorType((2, 3), dtype)})
    with pytest.raises(CannotLower, match=reason):
        Lowering(graph, ABILITIES, training=False).lower(graph.nodes[0], {})


@native
def test_the_mode_is_that_of_the_graph() -> None:
    x = sym.var("x")
    types = {"x": TensorType((4, 3), "float32")}
    graph = lower(sym.Dropout(x, p=0.5), types)
    Lowering(graph, ABILITIES, training=False).lower(graph.nodes[0], {})
    with pytest.raises(CannotLower, match="random numbers"):
        Lowering(graph, ABILITIES, training=True).lower(graph.nodes[0], {})
    assert np.shape(PLAIN.compile(graph, training=False)([np.ones((4, 3), "float32")])[0]) == (4, 3)
