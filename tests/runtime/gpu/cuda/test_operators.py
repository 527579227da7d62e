"""Every operator that has a generated kernel computes the same as its own kernel, on all its samples."""

from __future__ import annotations

import numpy as np
import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.cuda.functions import ABILITIES
from hybridlint.runtime.compiled.engines.cuda.kernels import MatrixProduct
from hybridlint.runtime.compiled.gradient import differentiate
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.util import np_shape
from tests.runtime.compiled.lowered import calls
from tests.runtime.gpu.cuda.devices import assert_near, compiled, references, run
from tests.runtime.gpu.cuda.shim import runs_kernels

PRODUCTS = {"FullyConnected", "dot", "batch_dot", "Convolution", "_npi_matmul", "_linalg_gemm2"}


@runs_kernels
@pytest.mark.usefixtures("by_library")
def test_matrix_products_of_the_library_are_the_same() -> None:
    with np_shape(True):
        symbols, given, names = calls(ABILITIES)
        chosen = [symbol for symbol in symbols if getattr(symbol._entries[0][0].op, "name", "") in PRODUCTS]
        together = sym.Group(chosen)
        types = {name: TensorType(a.shape, a.dtype.name) for name, a in given.items() if name in together.list_inputs()}
        graph = lower(together, types)
        executor = compiled(graph)
        arrays = [given[name] for name in together.list_inputs()]
        assert_near(run(executor, arrays), references(graph, arrays))
    assert names >= PRODUCTS
    assert executor._program is not None
    assert sum(isinstance(action, MatrixProduct) for action in executor._program.actions) >= len(chosen)


@runs_kernels
def test_operators_compute_the_same_as_their_kernels() -> None:
    with np_shape(True):
        symbols, given, names = calls(ABILITIES)
        together = sym.Group(symbols)
        graph = lower(together, {name: TensorType(a.shape, a.dtype.name) for name, a in given.items()})
        executor = compiled(graph)
        arrays = [given[name] for name in together.list_inputs()]
        assert executor.taken == "line"
        assert [step.reason for step in executor.steps] == [None]
        assert_near(run(executor, arrays), references(graph, arrays))
    assert len(names) > 230
    assert {"FullyConnected", "softmax", "LayerNorm", "BatchNorm", "batch_dot", "RNN", "sin", "arctan"} <= names
    assert {"Embedding", "take", "tile", "repeat", "_contrib_arange_like"} <= names


@runs_kernels
def test_gradients_of_operators_are_the_same() -> None:
    with np_shape(True):
        symbols, given, _ = calls(ABILITIES)
        together = sym.Group([symbol for symbol in symbols if getattr(symbol._entries[0][0].op, "grad", None)])
        arrays = [given[name] for name in together.list_inputs()]
        types = {
            name: TensorType(a.shape, a.dtype.name) for name, a in zip(together.list_inputs(), arrays, strict=True)
        }
        graph = optimize(lower(together, types))
        pair = differentiate(graph, tuple(range(len(graph.inputs))), False)
        results = references(pair.forward, arrays)
        generator = np.random.default_rng(1)
        heads = [generator.normal(size=result.shape).astype(result.dtype) for result in results[: pair.outputs]]
        residuals = [*(arrays[k] for k in pair.saved), *results[pair.outputs :]]
        backward = optimize(pair.backward)
        executor = compiled(backward)
        found = run(executor, [*residuals, *heads])
        assert_near(found, references(backward, [*residuals, *heads]))
    assert len(found) > 700
    left = [node.op.name for step in executor.steps if step.engine != "cuda" for node in step.nodes]
    assert len(left) < len(backward.nodes) // 80, sorted(left)
