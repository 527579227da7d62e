"""Interpreted calls of helpers, kept so that equal ones can reuse their results."""

from __future__ import annotations

from collections.abc import Mapping

from hybridlint.analysis.model.values import ProjectClass, Value
from hybridlint.analysis.run.effect_log import EffectLog
from hybridlint.analysis.run.numbering import Number
from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True)
class CallSummary:
    """An interpreted call: the numbers of its arguments, what it made and left behind, and its result."""

    given: tuple[Number, ...]
    #: The last number before the call, how many it took, and the moment after which its unknown sizes were made.
    before: int
    taken: int
    since: int
    busy: bool
    #: The greatest call depth inside, relative to the depth before.
    depth: int
    result: Value
    #: The attributes of self at its end.
    attributes: Mapping[str, Value]
    unsupported: bool
    trail: EffectLog
    #: The classes whose instances it asked for.
    asked: tuple[ProjectClass, ...]
