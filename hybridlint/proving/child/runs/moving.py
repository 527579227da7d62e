"""Attributes and globals that the calls of a block change, and of which its graph keeps what the first call read.

Two runs that agree may only show that the inputs of these calls do not tell the values apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.build.settings import Setting, Settings
from hybridlint.proving.child.build.stores import parsed
from hybridlint.proving.child.compare.verdicts import so_far
from hybridlint.proving.child.runs.changes import named, own_classes, parts_of, value_of
from hybridlint.proving.child.runs.runs import Call, observe
from hybridlint.proving.child.runs.variants import CHANGED, Side
from hybridlint.proving.child.stages import Stage

if TYPE_CHECKING:
    from hybridlint.proving.child.compare.comparison import Comparison

    #: Attributes of the block or its parts, and globals, each with the class of the part, and whether what is stored
    #: there goes by a decision.
    _Places = dict[tuple[type, Setting], bool]

_SCALARS = (bool, int, float, str)
_CONTAINERS = (list, tuple, dict, set)
#: Most items of a container that are looked at.
_MOST_ITEMS = 100


def moving(trial: Comparison, side: Side, block: Any) -> list[str]:
    """Return the names of what differs between the eager calls of a block, as far as its pass reads it.

    Numbers that go by a decision, such as whether a size is above 8, count too: all calls may have decided alike. If no
    time is left to run it, that is all that calls may change. A block that stays eager has no graph.
    """
    found = _candidates(side, block)
    if trial.stays_eager or not found:
        return []
    if not trial.late():
        trial.report_stage(Stage("watching what its calls change", optional=CHANGED.name, verdict=so_far(trial)))
        found = _differing(trial, side, found)
    return [named(cls, place, block) for cls, place in found]


def _candidates(side: Side, block: Any) -> _Places:
    classes = own_classes(side.world, block)
    if not classes:
        return {}
    known = Settings(parsed(side.text))
    names = [cls.__name__ for cls in classes]
    moved = ((cls, {**known.lent(names, cls.__name__), **known.moved(cls.__name__)}) for cls in classes)
    return {(cls, place): decided for cls, places in moved for place, decided in places.items()}


def _differing(trial: Comparison, side: Side, candidates: _Places) -> _Places:
    """Return the places with a value after one eager call that they have not after another, and decided numbers."""
    block = build(side.world, side.cls, *trial.setup.arguments)
    seen: dict[tuple[type, Setting], set[Any]] = {each: set() for each in candidates}

    @contextmanager
    def watch(_call: Call) -> Iterator[None]:
        yield
        for (cls, place), values in seen.items():
            values.add(tuple(_value(side, part, place) for part in parts_of(block, cls)))

    observe(side.world, block, trial.plan, trial.path, watch=watch)
    return {
        each: candidates[each] for each, values in seen.items() if len(values) > 1 or _shows(candidates[each], values)
    }


def _shows(decided: bool, values: set[Any]) -> bool:
    """Whether a place holds numbers or texts that go by a decision."""
    return decided and any(isinstance(value, _SCALARS) for parts in values for value in parts)


def _value(side: Side, part: Any, place: Setting) -> Any:
    try:
        return _plain(value_of(side.world, part, place))
    except (AttributeError, KeyError, TypeError):
        return None


def _plain(value: Any) -> Any:
    """Return a number, text or dtype as it is, those in a container with its length, and None for anything else."""
    if isinstance(value, _SCALARS):
        return value
    if isinstance(value, (type, np.dtype)):
        return str(value)
    if not isinstance(value, _CONTAINERS):
        return None
    held = value.values() if isinstance(value, dict) else value
    return (len(value), *(item for item in itertools.islice(held, _MOST_ITEMS) if isinstance(item, _SCALARS)))
