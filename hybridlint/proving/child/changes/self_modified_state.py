"""Attributes and globals that a block's calls change, while its graph keeps the values of the first call.

Two equal runs may only show that these inputs do not tell the values apart.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hybridlint.proving.child.brief.changes import Setting
from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.changes.change import own_classes, parts_of, setting_name, value_of
from hybridlint.proving.child.changes.held_by_functions import is_own, keeping, kept_state
from hybridlint.proving.child.compare.verdicts import so_far
from hybridlint.proving.child.runs.runs import PlannedCall, observe
from hybridlint.proving.child.runs.variants import CHANGED, BlockVersion
from hybridlint.proving.child.stages import Stage

if TYPE_CHECKING:
    from hybridlint.proving.child.compare.comparison_state import Comparison


class _Watched(NamedTuple):
    """A place that calls may change: its name for the user, and whether a decision determines its value.

    `read` returns the value there for a block, in a form to compare.
    """

    name: str
    decided: bool
    read: Callable[[Any], Any]


_SCALARS = (bool, int, float, str)
_CONTAINERS = (list, tuple, dict, set, deque)
#: Most items of a container that are looked at.
_MOST_ITEMS = 100


def moving(trial: Comparison, side: BlockVersion, block: Any) -> list[str]:
    """Return the names of state that differs between the eager calls of a block and that its pass reads.

    Numbers that go by a decision, such as whether a size is above 8, count too: all calls may have decided alike. If no
    time is left to run it, that is all that calls may change. A block that stays eager has no graph.
    """
    found = list(_candidates(side, block))
    if trial.stays_eager or not found:
        return []
    if not trial.late():
        trial.report_stage(Stage("watching what its calls change", optional=CHANGED.name, verdict=so_far(trial)))
        found = _differing(trial, side, found)
    return list(dict.fromkeys(each.name for each in found))


def _candidates(side: BlockVersion, block: Any) -> Iterator[_Watched]:
    classes = own_classes(side.world, block)
    names = [cls.__name__ for cls in classes]
    for cls in classes:
        known = side.changes.of(cls.__name__)
        moved = {**side.changes.lent(names, cls.__name__), **known.moved}
        for place, decided in moved.items():
            yield _Watched(setting_name(cls, place, block), decided, partial(_values, side, cls, place))
        owner = "self" if type(block) is cls else cls.__name__
        part = next(parts_of(block, cls))
        for name in keeping(known.functions, part, side.world.namespace):
            shown = f"{owner}.{name}()" if is_own(part, name) else f"{name}()"
            yield _Watched(shown, False, partial(_kept, side, cls, name))


def _differing(trial: Comparison, side: BlockVersion, candidates: Sequence[_Watched]) -> list[_Watched]:
    """Return the places with a value after one eager call that they have not after another, and decided numbers."""
    block = build(side.world, side.cls, *trial.setup.arguments)
    seen: list[set[Any]] = [set() for _ in candidates]

    @contextmanager
    def watch(_call: PlannedCall) -> Iterator[None]:
        yield
        for each, values in zip(candidates, seen):  # noqa: B905 - the child also runs under Python 3.8
            values.add(each.read(block))

    observe(side.world, block, trial.plan, trial.path, watch=watch)
    both = zip(candidates, seen)  # noqa: B905 - the child also runs under Python 3.8
    return [each for each, values in both if len(values) > 1 or _shows(each.decided, values)]


def _shows(decided: bool, values: set[Any]) -> bool:
    """Whether a place holds numbers or texts that depend on a decision."""
    return decided and any(isinstance(value, _SCALARS) for parts in values for value in parts)


def _values(side: BlockVersion, cls: type, place: Setting, block: Any) -> tuple[Any, ...]:
    return tuple(_value(side, part, place) for part in parts_of(block, cls))


def _value(side: BlockVersion, part: Any, place: Setting) -> Any:
    try:
        return _plain(value_of(side.world, part, place))
    except (AttributeError, KeyError, TypeError):
        return None


def _kept(side: BlockVersion, cls: type, name: str, block: Any) -> tuple[Any, ...]:
    parts = parts_of(block, cls)
    return tuple(tuple(map(_plain, kept_state(part, name, side.world.namespace))) for part in parts)


def _plain(value: Any) -> Any:
    """Return a number, text or dtype as it is, a container's numbers with its length, else None.

    Numpy's numbers are numbers, and its arrays their shape and contents.
    """
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, _SCALARS):
        return value
    if isinstance(value, np.ndarray):
        return (value.shape, value.tobytes())
    if isinstance(value, (type, np.dtype)):
        return str(value)
    if not isinstance(value, _CONTAINERS):
        return None
    held = value.values() if isinstance(value, dict) else value
    return (len(value), *(item for item in itertools.islice(held, _MOST_ITEMS) if isinstance(item, _SCALARS)))
