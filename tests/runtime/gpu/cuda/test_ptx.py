"""Generated source becomes PTX for several generations of GPUs, without a device."""

from __future__ import annotations

import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.cuda.functions import ABILITIES
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.util import np_shape
from tests.runtime.compiled.lowered import calls
from tests.runtime.gpu.cuda.devices import NoCode, compiled
from tests.runtime.gpu.cuda.networks import runs
from tests.runtime.gpu.cuda.nvrtc import ARCHITECTURES, assert_ptx, compiles_ptx
from tests.runtime.gpu.cuda.sources import forms, kernels, module


@compiles_ptx
@pytest.mark.parametrize(
    ("architecture", "name", "size"),
    [("sm_70", "mobilenet0.25", 64), ("sm_80", "resnet18_v1", 64), ("sm_90", "squeezenet1.1", 224)],
)
def test_kernels_of_networks_become_ptx(architecture: str, name: str, size: int) -> None:
    texts = {text for run in runs(name, size) for text in kernels(compiled(run.graph, NoCode()).source)}
    assert_ptx(*module(forms(texts)), architecture)


@compiles_ptx
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_kernels_of_all_operators_become_ptx(architecture: str) -> None:
    with np_shape(True):
        symbols, given, _ = calls(ABILITIES)
        types = {name: TensorType(a.shape, a.dtype.name) for name, a in given.items()}
        source = compiled(lower(sym.Group(symbols), types), NoCode()).source
    # Each generation gets its share: they differ in what instructions become, not in what the compiler accepts.
    chosen = forms(kernels(source))[ARCHITECTURES.index(architecture) :: len(ARCHITECTURES)]
    source, names = module(chosen)
    assert len(names) > 30
    assert_ptx(source, names, architecture)
