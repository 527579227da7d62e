"""Generated source becomes PTX for several generations of GPUs, without a device."""

from __future__ import annotations

import re

import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.cuda.functions import ABILITIES, PRELUDE
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.util import np_shape
from tests.runtime.compiled.lowered import calls
from tests.runtime.gpu.cuda.devices import NoCode, compiled
from tests.runtime.gpu.cuda.nvrtc import ARCHITECTURES, assert_ptx, compiles_ptx


def forms(source: str) -> tuple[str, list[str]]:
    """Return a source with one kernel of each form, whatever the sizes in it are, and their names."""
    kernels = re.split(r'(?=extern "C" __global__)', source)[1:]
    kept = {re.sub(r"\d+", "0", text): text for text in kernels}
    names = [text.split("(", 1)[0].split()[-1] for text in kept.values()]
    return "\n".join([PRELUDE, *kept.values()]), names


@compiles_ptx
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_kernels_of_all_operators_become_ptx(architecture: str) -> None:
    with np_shape(True):
        symbols, given, _ = calls(ABILITIES)
        types = {name: TensorType(a.shape, a.dtype.name) for name, a in given.items()}
        source, names = forms(compiled(lower(sym.Group(symbols), types), NoCode()).source)
    assert len(names) > 100
    assert_ptx(source, names, architecture)
