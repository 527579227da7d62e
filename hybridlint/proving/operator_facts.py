"""Facts about operators, sent to the child process so that it can make inputs that the operators accept."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from hybridlint.runtime.facts import properties, registry
from hybridlint.runtime.facts.registry import Operator


@cache
def describe_operators() -> dict[str, Any]:
    """Return, as JSON data, which operator arguments hold indices and which operators need positive numbers."""
    known = [operator for operator in registry.operators() if not operator.internal]
    indexed = {
        name: (operator.inputs.index(argument), argument)
        for operator in known
        for argument in operator.facts.indices
        for name in _names(operator)
    }
    positive = {name for operator in known if properties.needs_positive(operator) for name in _names(operator)}
    return {"indexed": indexed, "positive": sorted(positive)}


def _names(operator: Operator) -> Iterator[str]:
    """Yield the public names of an operator in the namespace ``nd``."""
    return (name for name in (operator.name, *operator.aliases) if not name.startswith("_"))
