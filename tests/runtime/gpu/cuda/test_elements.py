"""Functions of elements in generated kernels: each at its edges, and chains of them over shapes of any kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.cuda.code import MOST_BLOCKS, position
from hybridlint.runtime.compiled.engines.cuda.elements import element_code
from hybridlint.runtime.compiled.engines.cuda.functions import FUNCTIONS, literal
from hybridlint.runtime.compiled.engines.cuda.program import CudaModule
from hybridlint.runtime.compiled.engines.cuda.segment import CudaSegment, DeviceMemory
from hybridlint.runtime.compiled.lowering.elements import map_elements
from hybridlint.runtime.compiled.lowering.kernels import Access, Buffer, Loop, Tree
from hybridlint.runtime.compiled.lowering.traced import PREDICATES
from hybridlint.runtime.compiled.lowering.values import ArrayValue, Given, Number
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType
from tests.runtime.gpu.cuda.devices import assert_near, compiled, references, run
from tests.runtime.gpu.cuda.shim import Shim, runs_kernels
from tests.runtime.gpu.fake import FakePlatform

EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-40, -1e-40, 88.0, -104.0, 1e20, -1e20, np.inf, -np.inf, np.nan]
TRUTHS = {"logical_and", "logical_not", "logical_or", "logical_xor"}
#: Those that numpy has by the same name, with the number of their arguments.
NUMPYS = {name: getattr(np, name).nin for name in FUNCTIONS if isinstance(getattr(np, name, None), np.ufunc)}


def made(name: str, x: ArrayValue, y: ArrayValue) -> ArrayValue:
    """Return a function of elements as numbers."""
    zero = Number((), number=0.0)
    given = [map_elements("not_equal", v, zero, predicate=True) if name in TRUTHS else v for v in (x, y)][
        : NUMPYS[name]
    ]
    result = map_elements(name, *given, predicate=name in PREDICATES)
    return map_elements("as_number", result) if result.predicate else result


@runs_kernels
def test_functions_are_numpys_at_their_edges() -> None:
    x, y = (np.array(v, "float32") for v in zip(*[(a, b) for a in EDGES for b in EDGES], strict=True))
    arguments = Given(x.shape, number=0), Given(x.shape, number=1)
    roots = [made(name, *arguments) for name in NUMPYS]
    module, shim, platform = CudaModule(), Shim(), FakePlatform(0)
    makes = [(2 + k, TensorType(x.shape, "float32")) for k in range(len(roots))]
    segment = CudaSegment(roots, makes, platform, module)
    functions = shim.functions(module.source, module.names)
    memory = DeviceMemory(segment, platform, shim)
    values: list[Any] = [platform.from_host(x), platform.from_host(y), *(None for _ in roots)]
    memory.take(values)
    memory.make()
    for action in segment.actions:
        memory.run(action, functions)
    memory.give(values)
    assert set(FUNCTIONS) - set(NUMPYS) == {"as_half", "as_number", "where"}
    for name, found in zip(NUMPYS, values[2:], strict=True):
        given = [v != 0 if name in TRUTHS else v for v in (x, y)][: NUMPYS[name]]
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(*given).astype("float32")
        np.testing.assert_allclose(platform.to_host(found), expected, rtol=2e-5, atol=1e-40, err_msg=name)


SHAPES: dict[str, tuple[int, ...]] = {
    "x": (7, 33, 5),
    "row": (1, 33, 1),
    "column": (7, 1, 5),
    "vector": (1, 1, 5),
    "one": (1, 1, 1),
    "long": (100003,),
    "square": (19, 19),
}


@runs_kernels
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_chains_go_over_shapes_of_any_kind(dtype: str) -> None:
    x, row, column, vector, one, long, square = map(sym.var, SHAPES)
    chains = [
        sym.broadcast_add(sym.broadcast_mul(sym.tanh(x), row), sym.broadcast_sub(column, vector)),
        sym.broadcast_maximum(sym.broadcast_mul(row, column), one) * 2 + x,
        sym.transpose(sym.relu(x), axes=(2, 0, 1)) + sym.transpose(x, axes=(2, 0, 1)),
        sym.reverse(sym.sigmoid(x), axis=1) * x,
        sym.slice(x, begin=(1, 30, None), end=(6, 2, None), step=(2, -3, 1)) + 1,
        sym.concat(x, sym.exp(x * 0.1), x, dim=1),
        sym.reshape(sym.transpose(x, axes=(1, 0, 2)), shape=(-1, 7)) * 0.5,
        sym.pad(sym.reshape(x, shape=(1, 7, 33, 5)), mode="constant", pad_width=(0, 0, 0, 0, 1, 2, 3, 1)),
        sym.square(long) + long * 3,
        sym.broadcast_to(one, shape=(3, 2, 5)),
        square + sym.transpose(square),
        sym.where(sym.broadcast_greater(x, column), x, -x),
    ]
    together = sym.Group(chains)
    graph = optimize(lower(together, {name: TensorType(SHAPES[name], dtype) for name in together.list_inputs()}))
    generator = np.random.default_rng(2)
    arrays = [generator.normal(size=SHAPES[name]).astype(dtype) for name in together.list_inputs()]
    executor = compiled(graph)
    assert [step.reason for step in executor.steps] == [None]
    assert_near(run(executor, arrays), references(graph, arrays), 2e-5 if dtype == "float32" else 2e-3)


def test_arrays_of_more_than_32_bits_have_wider_positions() -> None:
    def code(size: int) -> Any:
        value = Given((size,), number=0)
        source, target = (Access(Buffer(k, size), 0, (1,)) for k in range(2))
        return element_code(Loop((size,), Tree(value, {value: source}), target))

    assert "typedef int Index;" in code(1 << 20).text
    wide = code(1 << 33)
    assert "typedef long long Index;" in wide.text
    assert wide.blocks == MOST_BLOCKS


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.0, "1.0f"),
        (-0.5, "(-0.5f)"),
        (1e-5, "9.99999975e-06f"),
        (float("inf"), "__int_as_float(0x7f800000)"),
        (float("nan"), "__int_as_float(0x7fffffff)"),
    ],
)
def test_numbers_are_those_of_float32(number: float, text: str) -> None:
    assert literal(number) == text


def test_positions_leave_out_what_does_not_move() -> None:
    assert position(3, (0, 1, 5), ["a", "b", "c"]) == "b + c * 5 + 3"
    assert position(0, (0,), ["a"]) == "0"
