"""The seam between a plan and what runs it: an engine asks its platform for arithmetic, memory and random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.numpy.straight_line import StraightLineEngine
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType, itemsize
from hybridlint.runtime.platforms.numpy_platform import NumpyPlatform
from hybridlint.runtime.platforms.protocol import Platform, Raw
from hybridlint.runtime.symbol.symbol import Symbol
from tests.closeness import assert_same_numbers


class Asked:
    """Numpy's functions, noting which are asked for."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.names.add(name)
        return getattr(np, name)


class NotedPlatform(NumpyPlatform):
    """A second platform: its array module, memory and generator are its own."""

    name = "noted"

    def __init__(self) -> None:
        self.xp = Asked()
        self.reserved: list[int] = []

    def reserve(self, size: int) -> Raw:
        self.reserved.append(size)
        return super().reserve(size)

    def generator(self) -> np.random.Generator:
        return np.random.default_rng(7)


def graph_of(symbol: Symbol) -> Graph:
    return optimize(lower(symbol, {"x": TensorType((4, 5), "float32")}))


def test_kernels_are_called_with_the_module_of_the_platform() -> None:
    platform = NotedPlatform()
    x = sym.var("x")
    executor = StraightLineEngine(platform).compile(graph_of(sym.tanh(sym.exp(x) + sym.log(x))), training=False)
    raw = np.linspace(1, 2, 20, dtype="float32").reshape(4, 5)
    (result,) = executor([raw])
    assert_same_numbers(result, np.tanh(np.exp(raw) + np.log(raw)))
    assert {"exp", "log", "tanh"} <= platform.xp.names


def test_buffers_are_reserved_from_the_platform_as_planned() -> None:
    platform: Platform = NotedPlatform()
    y = sym.var("x")
    for _ in range(4):
        y = sym.exp(sym.negative(y))
    executor = StraightLineEngine(platform).compile(graph_of(y), training=False, static_alloc=True)
    raw = np.ones((4, 5), "float32")
    executor([raw])
    executor([raw])
    assert isinstance(platform, NotedPlatform)
    assert tuple(platform.reserved) == executor.plan.sizes, "static buffers are reserved once"


def test_random_numbers_come_from_the_platform_unless_a_generator_is_given() -> None:
    executor = StraightLineEngine(NotedPlatform()).compile(graph_of(sym.random.uniform(shape=(3,))), training=False)
    (own,), (again,) = executor([]), executor([])
    (given,) = executor([], np.random.default_rng(8))
    assert own.tolist() == again.tolist()
    assert own.tolist() != given.tolist()


def test_the_size_of_an_element_follows_from_the_name_of_its_dtype() -> None:
    for dtype in ("float16", "float32", "float64", "uint8", "int8", "int32", "int64", "bool"):
        assert itemsize(dtype) == np.dtype(dtype).itemsize
