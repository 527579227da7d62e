"""What the parent has told of operators: the child may run on an interpreter without the registry of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Operator -> the position and the name of the argument that holds positions, as whole numbers.
INDEXED: dict[str, tuple[int, str]] = {}
#: Operators that want positive numbers, as logarithms do.
POSITIVE: set[str] = set()


def learn(told: Mapping[str, Any]) -> None:
    """Take in what `hybridlint.proving.operator_facts.described` says, which came as JSON."""
    INDEXED.update({name: (place, argument) for name, (place, argument) in told["indexed"].items()})
    POSITIVE.update(told["positive"])
