"""The operator namespace over which gradient rules run eagerly: every operator under its canonical name.

Parameters are taken as they are, without MXNet's calling conventions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridlint.runtime.core.imperative import invoke
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.registry import Operator


def call(op: Operator, inputs: Sequence[Any], params: Mapping[str, Any]) -> Any:
    """Run an operator that is in no registry, such as the gradient of a loop."""
    return invoke(op, inputs, normalize(op, params))


def __getattr__(name: str) -> Callable[..., Any]:
    op = registry.find(name)
    if op is None:
        raise AttributeError(f"no operator is called {name}")
    padding = len(op.inputs)

    def call(*inputs: Any, **params: Any) -> Any:
        given = inputs if op.variadic else (*inputs, *[None] * (padding - len(inputs)))
        return invoke(op, given, normalize(op, params))

    call.__name__ = name
    globals()[name] = call
    return call
