"""The samples of operators that an engine has code for."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime import sym
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.lowering.abilities import Abilities
from hybridlint.runtime.compiled.lowering.lowering import Lowering
from hybridlint.runtime.compiled.lowering.values import CannotLower
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.registry import Operator, Sample
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.symbol.calls import call
from hybridlint.runtime.symbol.symbol import Symbol
from tests.runtime.compiled.test_samples import arrays_of, cases


def lowered(symbol: Symbol, types: dict[str, TensorType], abilities: Abilities) -> Graph | None:
    """Return the graph of one call, None where it has no native code."""
    try:
        graph = lower(symbol, types)
        for node in graph.nodes:
            Lowering(graph, abilities, training=False).lower(node, {})
    except (CannotLower, MXNetError):
        return None
    return graph


def calls(abilities: Abilities) -> tuple[list[Symbol], dict[str, Any], set[str]]:
    """Return the samples for which an engine has code as calls, their arrays by name, and their operators."""
    symbols: list[Symbol] = []
    given: dict[str, Any] = {}
    names: set[str] = set()
    for case in cases(lambda operator, sample: bool(sample.shapes) and not operator.facts.eager_only):
        operator, sample = case.values
        assert isinstance(operator, Operator)
        assert isinstance(sample, Sample)
        arrays = {f"x{len(given)}_{k}": a._data for k, a in enumerate(arrays_of(operator, sample))}
        try:
            made = call(operator, f"node{len(symbols)}", [sym.var(name) for name in arrays], {**sample.params})
        except MXNetError:
            continue
        symbol = sym.Group([made[k] for k in range(len(made))])
        if (
            lowered(symbol, {name: TensorType(a.shape, a.dtype.name) for name, a in arrays.items()}, abilities)
            is not None
        ):
            symbols.append(symbol)
            given.update(arrays)
            names.add(operator.name)
    return symbols, given, names
