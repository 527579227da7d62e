"""A tensor is put into a set, used as a key, or hashed.

Arrays are hashable by identity. Symbols are not: `{x, y}`, `d[x]` and `functools.lru_cache` on a function of
tensors raise TypeError when the block is hybridized.

Bad:

    count = len({x, y})  # HYB211
    return x * count + y

Good:

    count = 1 if x is y else 2
    return x * count + y
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Concretize
from hybridlint.analysis.mxnet.describe import kind
from hybridlint.fixers.control.removals import without_memory
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB211", summary="tensor in a set or as a key")

_HASHING = frozenset({"set", "frozenset", "hash", "key", "lru_cache"})


@rule.on(Concretize)
def check(event: Concretize) -> Iterator[Finding]:
    """Report uses of a tensor as a key of a dict or an element of a set. They need its hash."""
    if event.how not in _HASHING:
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} needs the hash of {kind(event.value)}; a Symbol has none",
        fix=without_memory(event),
        help="Use a list, and `is` for identity.",
    )
