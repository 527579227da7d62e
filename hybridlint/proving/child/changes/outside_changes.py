"""State of a block that other code of its module changes, although its graph keeps what it read at the trace."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

from hybridlint.proving.child.changes.live_objects import LiveObjects
from hybridlint.proving.child.changes.observed_pass import ObservedPass
from hybridlint.proving.child.changes.outside_writes import OutsideWrites
from hybridlint.proving.child.changes.source_functions import ModuleSource, read_module
from hybridlint.proving.child.runs.variants import Side


def outside_changes(side: Side, block: Any, run: Callable[[], Any]) -> list[str]:
    """Return the names of the state that the traced pass of a block reads and that other code may change.

    `run` calls the block once.
    """
    module = side.world.module
    if not isinstance(module, ModuleType):
        return []
    modules = {module.__name__: module}
    observed = ObservedPass(modules)
    observed.watch(run)
    if not observed.traced:
        return []
    held = (value for variables in observed.traced.values() for values in variables.values() for value in values)
    live = LiveObjects(modules, [block, *held])
    return OutsideWrites(_source(side.text, module.__name__), live, block, observed).names()


@functools.lru_cache(maxsize=2)
def _source(text: str, module: str) -> ModuleSource:
    return read_module(ast.parse(text), module)
