"""The kinds of operators with subgraphs, by which nodes in symbol JSON are made. It imports none of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridlint.runtime.facts.registry import Operator

Given = Mapping[str, str]

#: Operator name in symbol JSON -> function that creates it from attributes, subgraphs and number of inputs.
KINDS: dict[str, Callable[..., Operator]] = {}
