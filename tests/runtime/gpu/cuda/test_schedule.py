"""What becomes a launch: frames, windows, products of the library, and functions of small arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.cuda.kernels import MatrixProduct
from hybridlint.runtime.compiled.engines.cuda.program import Launch
from hybridlint.runtime.compiled.engines.cuda.words import describe_kernel
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.lowering.lowering import sizes_of
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType
from tests.runtime.gpu.cuda.devices import NoCode, assert_near, compiled, references, run
from tests.runtime.gpu.cuda.shim import runs_kernels


def layer() -> Any:
    """Return a convolution with a normalization and an activation."""
    made = sym.Convolution(sym.var("x"), sym.var("w"), kernel=(3, 3), pad=(1, 1), num_filter=4, no_bias=True)
    normalized = sym.BatchNorm(made, *map(sym.var, ("gamma", "beta", "mean", "variance")), fix_gamma=False)
    return sym.relu(normalized)


def graph_of(symbol: Any, shape: tuple[int, ...]) -> Graph:
    return optimize(lower(symbol, {"x": TensorType(shape, "float32")}))


def told(graph: Graph) -> list[str]:
    """Return in words what runs."""
    program = compiled(graph, NoCode())._program
    assert program is not None
    return [describe_kernel(action.kernel if isinstance(action, Launch) else action) for action in program.actions]


@pytest.mark.usefixtures("by_library")
def test_a_convolution_is_a_frame_windows_a_product_and_what_follows() -> None:
    assert told(graph_of(layer(), (2, 3, 6, 5))) == [
        "frame, 2 x 8 x 7 x 3 around 2 x 6 x 5 x 3",
        "loop, 2 x 6 x 5 x 3: copy",
        "loop, 2 x 6 x 5 x 3 x 3 x 3: copy",
        "products, 60 x 4 over 27",
        "loop, 2 x 4 x 6 x 5: add, sqrt, divide, multiply, subtract, maximum",
    ]


def test_a_small_convolution_reads_windows_where_they_are() -> None:
    frame, inside, *rest = told(graph_of(layer(), (2, 3, 6, 5)))
    assert frame.startswith("frame")
    assert inside == "loop, 2 x 6 x 5 x 3: copy"
    assert len(rest) == 2
    assert rest[0] == "rows, 240 of 27: add: multiply"


@runs_kernels
@pytest.mark.parametrize("products", ["folded", "by_library"])
def test_both_compute_the_same(products: str, request: pytest.FixtureRequest) -> None:
    if products == "by_library":
        request.getfixturevalue(products)
    graph = graph_of(layer(), (2, 3, 6, 5))
    generator = np.random.default_rng(0)
    arrays = [generator.uniform(0.5, 1, sizes_of(graph.types[v])).astype("float32") for v in graph.inputs]
    executor = compiled(graph)
    assert executor._program is not None
    assert any(isinstance(action, MatrixProduct) for action in executor._program.actions) == (products == "by_library")
    assert_near(run(executor, arrays), references(graph, arrays))


def test_what_rows_combine_is_computed_once_a_row() -> None:
    (kernel,) = told(graph_of(sym.LayerNorm(sym.var("x"), sym.var("gamma"), sym.var("beta")), (64, 100)))
    assert kernel.startswith("rows, 64 of 100: add; loop: divide; loop: subtract; add: square")


def test_results_of_rows_are_written_by_the_launch_that_computes_them() -> None:
    x = sym.var("x")
    mean = sym.mean(x, axis=1)
    centred = sym.broadcast_sub(x, sym.reshape(mean, shape=(-1, 1)))
    (kernel,) = told(graph_of(sym.Group([mean, sym.square(centred)]), (64, 100)))
    assert kernel.count("add") == 1
