"""Whole networks as graphs, forward and backward, with numbers for their inputs: Gluon's zoo, models of tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from hybridlint.runtime import init, sym
from hybridlint.runtime.compiled.engines.choice import PLAIN
from hybridlint.runtime.compiled.gradient import differentiate
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.lowering.lowering import sizes_of
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.gluon.model_zoo import vision
from hybridlint.runtime.platforms.protocol import Raw
from tests.models.architectures import CASES
from tests.models.scenario import flat, parameter


@dataclass(frozen=True)
class Run:
    """One graph of a network, in the mode that it is compiled for; `arrays` makes those for its inputs."""

    name: str
    graph: Graph
    training: bool
    arrays: Callable[[], Sequence[Raw]]


def zoo_names() -> list[str]:
    """Return the names of Gluon's zoo."""
    try:
        vision.get_model("none of them")
    except ValueError as error:
        return str(error).split()[str(error).split().index("are") + 1 :]
    raise AssertionError("there is a model of that name")


def runs(name: str, size: int | None = None, batch: int = 2, dtype: str = "float32") -> Iterator[Run]:
    """Yield the graphs of a network: predicting, training forward and backward.

    `name` is one of the zoo, or of `tests.models`; `size` is that of pictures for the zoo.
    """
    import hybridlint.runtime as mx

    given: list[Raw]
    if name in CASES:
        net = CASES[name].build(mx)
        given = list(CASES[name].inputs())
    else:
        width = size or (299 if name == "inceptionv3" else 224)
        net = vision.get_model(name, classes=10)
        given = [np.random.default_rng(0).normal(size=(batch, 3, width, width)).astype("float32")]
    net.initialize(init.Zero())
    net.cast(dtype)
    symbol = sym.Group(flat(net(*[sym.var(f"data{k}") for k in range(len(given))])))
    data = {f"data{k}": raw.astype(dtype) for k, raw in enumerate(given)}
    known = {key: TensorType(raw.shape, dtype) for key, raw in data.items()}
    graph = lower(symbol, known)
    numbers = dict(zip(symbol.list_inputs(), graph.inputs, strict=True))

    @cache
    def inputs() -> Sequence[Raw]:
        return [data[key] if key in data else _drawn(key, graph.types[v]) for key, v in numbers.items()]

    best = optimize(graph)
    yield Run(f"{name} predicting", best, False, inputs)
    pair = differentiate(best, tuple(range(len(best.inputs))), True)
    yield Run(f"{name} training, forward", pair.forward, True, inputs)

    def residuals_and_heads() -> Sequence[Raw]:
        made = PLAIN.compile(pair.forward, training=True)(inputs())
        generator = np.random.default_rng(1)
        heads = [generator.normal(size=raw.shape).astype(raw.dtype) for raw in made[: pair.outputs]]
        return [*(inputs()[k] for k in pair.saved), *made[pair.outputs :], *heads]

    yield Run(f"{name} training, backward", optimize(pair.backward), True, residuals_and_heads)


def _drawn(name: str, held: TensorType) -> Raw:
    """Return a parameter, of a size that keeps signals alive behind rectifiers."""
    found: Any = parameter(name, sizes_of(held))
    return (found * 2**0.5 if found.ndim > 1 else found).astype(held.dtype or "float32")  # type: ignore[no-any-return]
