"""Native functions of elements: a few units in the last place beside float64, and numpy's answers at the edges."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.choice import PLAIN
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from hybridlint.runtime.symbol.symbol import Symbol
from tests.runtime.compiled.jit.engines import compiled, each_target, engine, graph_of, native

#: Name, the operator, the function in float64, and how many units it may be away from it.
FUNCTIONS: list[tuple[str, Callable[[Symbol], Symbol], Callable[[Any], Any], float]] = [
    ("exp", sym.exp, np.exp, 1.5),
    ("expm1", sym.expm1, np.expm1, 4),
    ("log", sym.log, np.log, 1.5),
    ("log1p", sym.log1p, np.log1p, 3),
    ("log2", sym.log2, np.log2, 3),
    ("log10", sym.log10, np.log10, 3),
    ("tanh", sym.tanh, np.tanh, 2),
    ("softrelu", lambda x: sym.Activation(x, act_type="softrelu"), lambda x: np.logaddexp(x, 0), 4),
    ("erf", sym.erf, np.vectorize(math.erf), 6),
    ("sqrt", sym.sqrt, np.sqrt, 0.5),
    ("rsqrt", sym.rsqrt, lambda x: 1 / np.sqrt(x), 2),
    ("relu", sym.relu, lambda x: np.maximum(x, 0), 0),
    ("sign", sym.sign, np.sign, 0),
    ("floor", sym.floor, np.floor, 0),
    ("ceil", sym.ceil, np.ceil, 0),
    ("abs", sym.abs, np.abs, 0),
]


def numbers() -> Any:
    """Return numbers of all sizes: any bits, ordinary ones, ones near 0 and 1, and those at the edges."""
    generator = np.random.default_rng(1)
    bits = generator.integers(0, 2**32, size=20_000, dtype=np.uint32).view("float32")
    ordinary = [generator.normal(scale=scale, size=5_000) for scale in (1, 10, 0.01)]
    edges = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e-45, -1e-45, 1e-38, 88.7, 88.8, -87.4, -103.9, -105, 3e38]
    with np.errstate(invalid="ignore"):
        return np.concatenate([bits, *ordinary, 1 + generator.normal(scale=1e-3, size=5_000), edges]).astype("float32")


@native
@each_target
@pytest.mark.parametrize("name", [row[0] for row in FUNCTIONS])
def test_functions_are_precise(name: str, target: TargetProcessor) -> None:
    made = engine(target)
    _, operator, exact, units = next(row for row in FUNCTIONS if row[0] == name)
    x = numbers()
    graph = graph_of(operator(sym.var("x")), {"x": x.shape})
    (found,) = compiled(made, graph)([x])
    with np.errstate(all="ignore"):
        (plain,) = PLAIN.compile(graph, training=False)([x])
        wanted = exact(x.astype("float64"))
        rounded = wanted.astype("float32")
        both = np.isfinite(found) & np.isfinite(rounded)
        error = np.abs(found[both] - wanted[both]) / np.spacing(np.abs(rounded[both]))
    assert error.max() <= units
    np.testing.assert_array_equal(found[~both], rounded[~both])
    told = ~np.isnan(plain)
    np.testing.assert_array_equal(np.signbit(found[told]), np.signbit(plain[told]))


@native
@each_target
def test_the_larger_of_two_is_nan_where_one_is(target: TargetProcessor) -> None:
    x, y = (np.array(values, "float32") for values in ([math.nan, 1, math.nan, 2, -0.0], [1, math.nan, math.nan, 3, 0]))
    a, b = sym.var("a"), sym.var("b")
    graph = graph_of(sym.Group([sym.maximum(a, b), sym.minimum(a, b), sym.max(a), sym.min(b)]), {"a": (5,), "b": (5,)})
    plain = PLAIN.compile(graph, training=False)([x, y])
    for found, wanted in zip(compiled(engine(target), graph)([x, y]), plain, strict=True):
        np.testing.assert_array_equal(found, wanted)


@native
@each_target
def test_a_long_sum_keeps_its_digits(target: TargetProcessor) -> None:
    x = np.random.default_rng(3).normal(loc=1, size=1_000_003).astype("float32")
    graph = graph_of(sym.sum(sym.var("x")), {"x": x.shape})
    (found,) = compiled(engine(target), graph)([x])
    assert found.item() == pytest.approx(x.astype("float64").sum(), rel=1e-6)


def computed(made: Any, value: Symbol, **arrays: Any) -> Any:
    """Return what native code makes of arrays."""
    graph = graph_of(value, {name: array.shape for name, array in arrays.items()})
    (found,) = compiled(made, graph)([arrays[name] for name in value.list_inputs()])
    return found


@native
@each_target
def test_a_product_to_which_a_number_is_added_is_rounded_once_where_the_processor_can(target: TargetProcessor) -> None:
    x = np.random.default_rng(2).normal(1, 1e-3, 10_000).astype("float32")
    found = computed(engine(target), sym.var("x") * sym.var("x") - 1, x=x)
    exact = x.astype("float64") ** 2 - 1
    once, twice = exact.astype("float32"), x * x - np.float32(1)
    np.testing.assert_array_equal(found, twice if target.name == "portable" else once)


@native
@each_target
def test_a_product_less_an_equal_one_is_0(target: TargetProcessor) -> None:
    x = np.random.default_rng(3).normal(size=10_000).astype("float32")
    a, b = sym.var("a"), sym.var("b")
    assert not computed(engine(target), sym.square(a) - a * b, a=x, b=x).any()


@native
@each_target
@pytest.mark.parametrize("number", [8.0, -0.25, 2.0**-126, 2.0**126, 2.0**-149, 3.0])
def test_what_is_divided_by_a_number_is_rounded_as_by_numpy(number: float, target: TargetProcessor) -> None:
    x = numbers()
    x = x[~np.isnan(x)]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(computed(engine(target), sym.var("x") / number, x=x), x / np.float32(number))


@native
@each_target
def test_a_product_that_is_an_output_itself_is_not_computed_again_for_a_sum(target: TargetProcessor) -> None:
    x = np.random.default_rng(4).normal(size=10_000).astype("float32")
    a, b = sym.var("a"), sym.var("b")
    product = a * b
    both = sym.Group([product, product - 1, sym.square(product) + 2])
    graph = graph_of(both, {"a": x.shape, "b": x.shape})
    arrays = {"a": x, "b": x[::-1].copy()}
    first, second, third = compiled(engine(target), graph)([arrays[name] for name in both.list_inputs()])
    np.testing.assert_array_equal(first, x * x[::-1])
    np.testing.assert_allclose(second, first - 1, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(third, first**2 + 2, rtol=1e-6)
