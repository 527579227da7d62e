"""Reuse of results of child blocks' calls: a call equivalent to an earlier one is not interpreted again.

Only calls whose events are suppressed are reused. Two calls are equivalent if their blocks have the same classes and
their arguments differ only in the numbers that identify arrays. A block is known as ``__init__`` left it, whatever
calls store there; once calls have put anything else that the analysis tracks into objects that outlive them, no call is
reused.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from hybridlint.analysis.run.effect_log import EffectLog
from hybridlint.analysis.run.numbering import Number, Numbering, UncomparableError, renumbering_of
from hybridlint.analysis.run.recorded_call import RecordedCall
from hybridlint.analysis.syntax.building import instance_of
from hybridlint.analysis.syntax.containers import fills
from hybridlint.runtime.facts.dims import moment
from hybridlint.runtime.facts.records import replace

if TYPE_CHECKING:
    from hybridlint.analysis.model.events import ArgumentsEvent
    from hybridlint.analysis.model.values import Function, Value
    from hybridlint.analysis.run.activation import Activation
    from hybridlint.analysis.run.run import AnalysisRun


def repeated_call(
    act: Activation, node: ast.Call, function: Function, args: ArgumentsEvent, go: Callable[[], Value]
) -> Value:
    """Return the result of a call of a child's method whose events are suppressed, from the cache if possible.

    `go` interprets the call.
    """
    run = act.run
    numbering = Numbering(run.blocks.kept)
    key = _key(act, function, args, numbering)
    if key is None:
        return go()
    given = numbering.numbers
    known = next((call for call in run.reuse.repeats.get(key, ()) if run.may_repeat(call)), None) or _shared(run, key)
    if known is None:
        return _noted(act, key, given, go)
    run.seen.calls.add(node)
    for info in known.asked:
        instance_of(run, info)
    return _again(act, known, given)


def _shared(run: AnalysisRun, key: Hashable) -> RecordedCall | None:
    """Return an equivalent call that the analysis of another file has interpreted, without any code of this file."""
    calls = (call for call in run.shared.repeats.get(key, ()) if run.module not in call.trail.modules)
    return next((call for call in calls if run.may_repeat(call) and run.shared.all_whole(call.asked)), None)


def _again(act: Activation, call: RecordedCall, given: tuple[Number, ...]) -> Value:
    """Return the result of a cached call for arguments with the numbers `given`, and apply its side effects."""
    run = act.run
    renumbered = renumbering_of(call, given, run.blocks.kept, run.tokens).renumbered
    act.flow.unsupported = call.unsupported
    run.tokens += call.taken
    run.budget.steps += call.steps
    calls = {key: [tuple(map(renumbered, values)) for values in lists] for key, lists in call.trail.child_calls.items()}
    run.trail.follow(replace(call.trail, child_calls=calls, depth=len(run.surroundings.stack) + call.depth))
    return renumbered(call.result)


def _key(act: Activation, function: Function, args: ArgumentsEvent, numbering: Numbering) -> Hashable | None:
    """Return a cache key with everything that a call depends on, except what `Run.may_repeat` looks at.

    None if the call cannot be cached.
    """
    run = act.run
    if act.role.building or run.reuse.changed or act.this in function.bound or fills(function, args):
        return None
    try:
        values = tuple(map(numbering.pattern, args.values))
        keywords = tuple((name, numbering.pattern(value)) for name, value in args.keywords.items())
    except UncomparableError:
        return None
    spread = tuple(isinstance(place, ast.Starred) for place in args.nodes)
    place = act.mode, act.flow.worlds, act.flow.unsupported
    return function.node, function.bound, place, spread, values, keywords


def _noted(act: Activation, key: Hashable, given: tuple[Number, ...], go: Callable[[], Value]) -> Value:
    """Interpret a call with `go`, and cache its result if an equivalent call would have the same one."""
    run = act.run
    outer, run.trail = run.trail, EffectLog()
    asked, run.blocks.asked = run.blocks.asked, {}
    made = len(run.blocks.parts.changes)
    tokens, steps, busy, since = run.tokens, run.budget.steps, run.budget.busy, moment()
    bounds, known = (run.budget.refused, busy), set(run.blocks.instances)
    result = go()
    trail, run.trail = run.trail, outer
    outer.follow(trail)
    infos, run.blocks.asked = tuple(run.blocks.asked), asked | run.blocks.asked
    # A call that hit a limit, or that created an instance which does not last, may behave differently elsewhere.
    if (
        bounds == (run.budget.refused, run.budget.busy)
        and not run.budget.exhausted
        and not run.reuse.changed
        and run.shared.all_whole(run.blocks.instances.keys() - known)
    ):
        work = run.tokens - tokens, since, run.budget.steps - steps, busy, trail.depth - len(run.surroundings.stack)
        around = tuple(run.surroundings.scopes), run.reporting.unrolled
        call = RecordedCall(given, tokens, *work, *around, result, act.flow.unsupported, trail, infos)
        if _comparable(call):
            run.reuse.repeats.setdefault(key, []).append(call)
            if run.module not in trail.modules and len(run.blocks.parts.changes) == made:
                run.shared.repeats.setdefault(key, []).append(call)
    return result


def _comparable(call: RecordedCall) -> bool:
    """Return whether the result and side effects of a call can be translated to the numbers of another call."""
    calls = (values for lists in call.trail.child_calls.values() for values in lists)
    try:
        for value in (call.result, *(value for values in calls for value in values)):
            Numbering().pattern(value)
    except UncomparableError:
        return False
    return True
