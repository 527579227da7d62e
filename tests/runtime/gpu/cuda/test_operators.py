"""Every operator that has a generated kernel computes the same as its own kernel, on all its samples."""

from __future__ import annotations

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.cuda.functions import ABILITIES
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.util import np_shape
from tests.runtime.compiled.lowered import calls
from tests.runtime.gpu.cuda.devices import assert_near, compiled, references, run
from tests.runtime.gpu.cuda.shim import runs_kernels


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
