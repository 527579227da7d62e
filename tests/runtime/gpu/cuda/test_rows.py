"""Kernels over rows: reductions of every layout, and what is computed with them in one launch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.cuda.program import Launch
from hybridlint.runtime.compiled.engines.cuda.rows import Rows
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.lowering.kernels import Fold
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType
from tests.runtime.gpu.cuda.devices import NoCode, assert_near, compiled, run
from tests.runtime.gpu.cuda.shim import runs_kernels

SIZES: dict[str, tuple[int, ...]] = {
    "long": (3, 5001),
    "longest": (1, 70001),
    "odd": (7, 33),
    "few": (130, 3),
    "one": (5, 1),
    "deep": (3, 5, 7),
    "wide": (2, 3, 4, 5),
}


def symbols(x: Any, rank: int) -> dict[str, Any]:
    """Return calls with reductions, by name."""
    made: dict[str, Any] = {"all": sym.sum(x), "largest": sym.max(x), "norm": sym.sqrt(sym.sum(x * x))}
    for axis in range(rank):
        made[f"sum{axis}"] = sym.sum(x, axis=axis)
        made[f"min{axis}"] = sym.min(x, axis=axis, keepdims=True)
        made[f"softmax{axis}"] = sym.softmax(x, axis=axis)
        made[f"log_softmax{axis}"] = sym.log_softmax(x * 2, axis=axis)
        made[f"centred{axis}"] = sym.broadcast_sub(x, sym.mean(x, axis=axis, keepdims=True))
    return made


def reference(name: str, x: Any) -> Any:
    """Return what a call means, in float64."""
    x = x.astype("float64")
    if name in WHOLE:
        return WHOLE[name](x).reshape(1)
    found = ALONG[name.rstrip("0123456789")](x, int(name[-1]))
    return found if found.ndim else found.reshape(1)


def softmax(x: Any, axis: int) -> Any:
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


WHOLE: dict[str, Any] = {"all": np.sum, "largest": np.max, "norm": lambda x: np.sqrt((x * x).sum())}
ALONG: dict[str, Any] = {
    "sum": np.sum,
    "min": lambda x, axis: x.min(axis, keepdims=True),
    "centred": lambda x, axis: x - x.mean(axis, keepdims=True),
    "softmax": softmax,
    "log_softmax": lambda x, axis: np.log(softmax(2 * x, axis)),
}


@runs_kernels
def test_reductions_over_any_axes_are_those_of_float64() -> None:
    generator = np.random.default_rng(4)
    given = {name: generator.normal(size=shape).astype("float32") for name, shape in SIZES.items()}
    calls = {(name, call): made for name, x in given.items() for call, made in symbols(sym.var(name), x.ndim).items()}
    together = sym.Group(list(calls.values()))
    executor = compiled(graph_of(together, SIZES))
    found = run(executor, [given[name] for name in together.list_inputs()])
    expected = [reference(call, given[name]).astype("float32") for name, call in calls]
    assert_near(found, expected)


def graph_of(symbol: Any, shapes: dict[str, tuple[int, ...]], dtype: str = "float32") -> Graph:
    return optimize(lower(symbol, {name: TensorType(shapes[name], dtype) for name in symbol.list_inputs()}))


def launches(symbol: Any, **shapes: tuple[int, ...]) -> list[Any]:
    executor = compiled(graph_of(symbol, shapes), NoCode())
    program = executor._program
    assert program is not None
    return [action.kernel for action in program.actions if isinstance(action, Launch)]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: sym.softmax(x * 0.5),
        lambda x: sym.log_softmax(sym.relu(x), axis=1),
        lambda x: sym.LayerNorm(x, sym.var("gamma"), sym.var("beta")),
        sym.L2Normalization,
    ],
    ids=["softmax", "log_softmax", "LayerNorm", "L2Normalization"],
)
def test_what_goes_over_the_same_rows_is_one_launch(call: Any) -> None:
    (kernel,) = launches(call(sym.var("x")), x=(64, 100), gamma=(100,), beta=(100,))
    assert isinstance(kernel, Rows)
    assert len(kernel.parts) > 1
    assert kernel.inside


def test_few_long_rows_are_combined_in_pieces() -> None:
    pieces, whole = launches(sym.sum(sym.var("x"), axis=1), x=(2, 1 << 20))
    assert pieces.chunks == 256
    assert whole.domain.length == 256
    assert len(whole.parts) == 1


def test_rows_that_do_not_fit_into_shared_memory_stay_in_scratch() -> None:
    (kernel,) = launches(sym.softmax(sym.var("x")), x=(512, 60000))
    stored = {part.target.buffer for part in kernel.parts if part.whole and not isinstance(part.kernel, Fold)}
    assert len(stored) > 1
    assert kernel.inside
    assert not stored & kernel.inside
