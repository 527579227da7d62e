"""State of a block that other code of its project changes, while its graph keeps the value of the trace."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from hybridlint.proving.child.changes.live_objects import LiveObjects
from hybridlint.proving.child.changes.observed_pass import ObservedPass
from hybridlint.proving.child.changes.outside_writes import OutsideWrites
from hybridlint.proving.child.changes.project_sources import ProjectSources
from hybridlint.proving.child.runs.variants import BlockVersion


def outside_changes(side: BlockVersion, block: Any, run: Callable[[], Any]) -> list[str]:
    """Return the names of the state that the traced pass of a block reads and that other code may change.

    `run` calls the block once.
    """
    module = side.world.module
    if not isinstance(module, ModuleType):
        return []
    project = ProjectSources(module, side.text, side.world.related)
    observed = ObservedPass(project.modules)
    observed.watch(run)
    if not observed.traced:
        return []
    held = (value for variables in observed.traced.values() for values in variables.values() for value in values)
    ran = {module.__name__, *(name for name, _ in observed.called)}
    live = LiveObjects(project.modules, ran, [block, *held])
    used = ran | live.defining()
    found = OutsideWrites(project.defining(used), live, block, observed)
    others = project.naming(found.read_names(stored=False), found.read_names(stored=True), used)
    return found.names() if others is None else OutsideWrites(others, live, block, observed).names()
