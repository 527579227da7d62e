"""Facts about operators, sent by the parent process: the child may run under MXNet, without hybridlint's registry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Operator -> position and name of the argument that holds indices, as integers.
INDEXED: dict[str, tuple[int, str]] = {}


def learn(facts: Mapping[str, Any]) -> None:
    """Store the JSON data made by `hybridlint.proving.operator_facts.described`."""
    INDEXED.update({name: (place, argument) for name, (place, argument) in facts["indexed"].items()})
