"""Every operator that has a generated kernel computes the same as its own kernel, on all its samples."""

from __future__ import annotations

import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.cuda.functions import ABILITIES
from hybridlint.runtime.compiled.engines.cuda.kernels import Multiply
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
    assert sum(isinstance(action, Multiply) for action in executor._program.actions) >= len(chosen)


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
