"""Loop-carried names: names that an iteration may read before binding them, so that it sees the previous value."""

from __future__ import annotations

import ast
from functools import lru_cache

from hybridlint.analysis.dataflow.liveness import live_before_block
from hybridlint.analysis.dataflow.scopes import names_in


@lru_cache(maxsize=64)
def carried_names(loop: ast.For | ast.While) -> frozenset[str]:
    """Return the names that a loop's body may read before it binds them in the same iteration."""
    head = names_in(loop.test if isinstance(loop, ast.While) else loop.target)
    return (live_before_block(loop.body) - head.stores.keys()) | head.reads.keys()
