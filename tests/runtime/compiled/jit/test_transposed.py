"""Transposed convolutions are convolutions, one for each phase of their strides, and so native code."""

from __future__ import annotations

from typing import Any

import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.choice import PLAIN
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from hybridlint.runtime.compiled.gradient import differentiate
from hybridlint.runtime.compiled.passes import optimize
from tests.runtime.compiled.jit.engines import (
    assert_same,
    compiled,
    draw,
    each_target,
    engine,
    graph_of,
    matches,
    native,
)

CASES: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "twice as large": ((2, 4, 5, 6), {"kernel": (4, 4), "stride": (2, 2), "pad": (1, 1)}),
    "with gaps": ((1, 3, 4, 5), {"kernel": (2, 1), "stride": (3, 2)}),
    "made larger at the end": ((1, 3, 4, 5), {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1), "adj": (1, 1)}),
    "of a size that is given": ((1, 3, 4, 5), {"kernel": (3, 3), "stride": (2, 2), "target_shape": (8, 9)}),
    "dilated": ((1, 3, 4, 5), {"kernel": (3, 2), "stride": (2, 1), "dilate": (2, 3), "pad": (1, 0)}),
    "in groups": ((1, 4, 4, 5), {"kernel": (3, 3), "num_group": 2, "stride": (2, 2)}),
    "by channel": ((2, 6, 4, 5), {"kernel": (4, 4), "num_group": 6, "stride": (2, 2), "pad": (1, 1)}),
    "along a line": ((2, 4, 7), {"kernel": (5,), "stride": (2,), "pad": (2,)}),
    "in space": ((1, 4, 3, 4, 3), {"kernel": (2, 3, 2), "stride": (2, 1, 2)}),
    "channels last": ((2, 5, 6, 4), {"kernel": (4, 4), "stride": (2, 2), "pad": (1, 1), "layout": "NHWC"}),
}


def _case(name: str, *, biased: bool) -> tuple[sym.Symbol, dict[str, tuple[int, ...]]]:
    shape, params = CASES[name]
    given = [sym.var("x"), sym.var("w"), *([sym.var("b")] if biased else [])]
    symbol = sym.Deconvolution(*given, num_filter=6, no_bias=not biased, **params)
    return symbol, dict(zip(symbol.list_arguments(), symbol.infer_shape(x=shape)[0], strict=True))


@native
@each_target
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_the_plain_engine(name: str, biased: bool, target: TargetProcessor) -> None:
    symbol, shapes = _case(name, biased=biased)
    graph = graph_of(sym.relu(symbol), shapes)
    executor = compiled(engine(target), graph)
    assert [step.reason for step in executor.steps] == [None]
    matches(executor, graph)


@native
@each_target
@pytest.mark.parametrize("name", CASES)
def test_gradients_are_those_of_the_plain_engine(name: str, target: TargetProcessor) -> None:
    symbol, shapes = _case(name, biased=True)
    graph = graph_of(symbol, shapes)
    pair = differentiate(graph, range(len(graph.inputs)), True)
    given = draw(graph)
    outputs = PLAIN.compile(pair.forward, training=True, results=pair.outputs)(given)
    heads = [outputs[0] * 0.5 + 1]
    residuals = [*(given[k] for k in pair.saved), *outputs[pair.outputs :], *heads]
    pulled = optimize(pair.backward)
    backward = compiled(engine(target), pulled)
    assert [step.reason for step in backward.steps] == [None]
    assert_same(backward(residuals), PLAIN.compile(pulled, training=True)(residuals))


@native
@each_target
@pytest.mark.parametrize("scale", [2, 3])
def test_so_are_pictures_that_are_enlarged_between_their_elements(scale: int, target: TargetProcessor) -> None:
    symbol = sym.UpSampling(sym.var("x"), sym.var("w"), scale=scale, sample_type="bilinear", num_filter=4)
    kernel = 2 * scale - scale % 2
    graph = graph_of(symbol, {"x": (2, 4, 5, 6), "w": (4, 1, kernel, kernel)})
    executor = compiled(engine(target), graph)
    assert [step.reason for step in executor.steps] == [None]
    matches(executor, graph)
