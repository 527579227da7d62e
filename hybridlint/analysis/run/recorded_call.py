"""Interpreted calls, kept so that equivalent ones can reuse their results."""

from __future__ import annotations

from hybridlint.analysis.model.values import ProjectClass, Value
from hybridlint.analysis.run.effect_log import EffectLog
from hybridlint.analysis.run.numbering import Number
from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True)
class RecordedCall:
    """An interpreted call: the numbers of its arguments, the steps it took, its result and its side effects."""

    given: tuple[Number, ...]
    #: The last number before the call, and how many numbers it took.
    before: int
    taken: int
    #: The moment after which the call's own unknown sizes were made.
    since: int
    steps: int
    busy: bool
    #: The greatest call depth inside, relative to the depth before.
    depth: int
    #: The scopes around it, and the number of unrolled loops.
    scopes: tuple[str, ...]
    loops: int
    result: Value
    #: Whether the supported version has raised by the end of the call.
    unsupported: bool
    trail: EffectLog
    #: The classes whose instances it asked for.
    asked: tuple[ProjectClass, ...]
