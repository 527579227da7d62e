"""Generated source becomes PTX for several generations of GPUs, without a device."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.cuda.functions import ABILITIES, PRELUDE
from hybridlint.runtime.compiled.gradient import differentiate
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.gluon.model_zoo import vision
from hybridlint.runtime.util import np_shape
from tests.runtime.compiled.lowered import calls
from tests.runtime.gpu.cuda.devices import NoCode, compiled
from tests.runtime.gpu.cuda.nvrtc import ARCHITECTURES, assert_ptx, compiles_ptx


def forms(source: str, share: slice = slice(None)) -> tuple[str, list[str]]:
    """Return a source with a share of its kernels, one of each form, whatever the sizes in it are, and their names."""
    kernels = re.split(r'(?=extern "C" __global__)', source)[1:]
    kept = {re.sub(r"\d+", "0", text): text for text in kernels}
    chosen = list(kept.values())[share]
    return "\n".join([PRELUDE, *chosen]), [text.split("(", 1)[0].split()[-1] for text in chosen]


def zoo_graphs(names: Sequence[str]) -> Iterator[Graph]:
    """Yield graphs of networks of the zoo, forward and backward."""
    for name in names:
        net = vision.get_model(name, classes=10)
        net.initialize(mx.init.Zero())
        symbol = net(mx.sym.var("data"))
        _, outputs, _ = symbol.infer_shape(data=(2, 3, SIZE, SIZE))
        assert outputs == [(2, 10)]
        known = {"data": TensorType((2, 3, SIZE, SIZE), "float32")}
        graph = optimize(lower(symbol, known))
        pair = differentiate(graph, tuple(range(len(graph.inputs))), True)
        yield pair.forward
        yield optimize(pair.backward)


#: The size of the pictures that networks of the zoo are given.
SIZE = 224


@compiles_ptx
@pytest.mark.parametrize(
    ("architecture", "names"),
    [
        ("sm_70", ("mobilenet0.25",)),
        ("sm_80", ("resnet18_v1",)),
        ("sm_90", ("squeezenet1.1",)),
    ],
)
def test_kernels_of_networks_become_ptx(architecture: str, names: Sequence[str]) -> None:
    for graph in zoo_graphs(names):
        executor = compiled(graph, NoCode())
        assert executor.taken == "line"
        assert_ptx(*forms(executor.source), architecture)


@compiles_ptx
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_kernels_of_all_operators_become_ptx(architecture: str) -> None:
    with np_shape(True):
        symbols, given, _ = calls(ABILITIES)
        types = {name: TensorType(a.shape, a.dtype.name) for name, a in given.items()}
        source = compiled(lower(sym.Group(symbols), types), NoCode()).source
    # Each generation gets its share: they differ in what instructions become, not in what the compiler accepts.
    source, names = forms(source, slice(ARCHITECTURES.index(architecture), None, len(ARCHITECTURES)))
    assert len(names) > 30
    assert_ptx(source, names, architecture)
