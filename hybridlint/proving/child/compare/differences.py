"""Two runs over the same calls, compared: where they part, and what can be taken from either."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hybridlint.proving.child.compare.results import Difference, first_difference
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.runs.exported import comparable
from hybridlint.proving.child.runs.half import half_difference
from hybridlint.proving.child.runs.rounding import within_rounding, without
from hybridlint.proving.child.runs.runs import Call, Observation
from hybridlint.proving.child.runs.variants import Variant


class Gap(NamedTuple):
    """Where the runs of two variants part: a difference in results, or a failure of the second, `variant`."""

    call: Call
    variant: Variant
    difference: Difference | None
    failure: Failure | None

    @property
    def sentence(self) -> str:
        """Say for people what is other than in the first run."""
        if self.failure is not None:
            return f"it fails: {self.failure.sentence}"
        assert self.difference is not None
        return f"{self.difference.what} {self.difference.message}"


def first_gap(
    reference: Sequence[Observation],
    found: Sequence[Observation],
    variant: Variant,
    full: Mapping[Call, Observation] | None = None,
    moved: Mapping[Call, Observation] | None = None,
) -> Gap | None:
    """Return the first call that worked in the reference and gave something else, or nothing, in the variant.

    Runs in float16 are measured at `full`, the same calls in float32; gradients that cancel out at `moved`, the same
    calls with parameters that are rounded otherwise.
    """
    by_call = {o.call: o for o in found}
    broken: Failure | None = None
    for expected in reference:
        if expected.failure is not None:
            continue
        seen = by_call.get(expected.call)
        if seen is None or seen.failure is not None:
            broken = seen.failure if seen is not None else broken
            assert broken is not None
            return Gap(expected.call, variant, None, broken)
        difference = _difference(expected, seen, variant, full or {}, moved or {})
        if difference is not None:
            return Gap(expected.call, variant, difference, None)
    return None


def _difference(
    expected: Observation,
    seen: Observation,
    variant: Variant,
    full: Mapping[Call, Observation],
    moved: Mapping[Call, Observation],
) -> Difference | None:
    if expected.call in moved:
        rounded = within_rounding(expected, moved[expected.call], seen)
        expected = expected._replace(results=without(expected.results, rounded))
        seen = seen._replace(results=without(seen.results, rounded))
    if variant.exported:
        return first_difference(*comparable(expected.results, seen.results))
    if expected.call in full:
        return half_difference(full[expected.call], expected, seen)
    return first_difference(expected.results, seen.results)


def best(first: Sequence[Observation], second: Sequence[Observation]) -> list[Observation]:
    """Return, for each call, the first observation where it worked, else the second.

    Eager code that changes arrays in place cannot be recorded; the fixed code can.
    """
    worked = {o.call: o for o in second if o.failure is None}
    worked.update({o.call: o for o in first if o.failure is None})
    order = list(dict.fromkeys([o.call for o in first] + [o.call for o in second]))
    failed = {o.call: o for o in [*second, *first] if o.failure is not None}
    return [worked.get(call) or failed[call] for call in order]


def same_calls(left: Sequence[Observation], right: Sequence[Observation]) -> set[Call]:
    """Return the calls that gave the same in two runs."""
    others = {o.call: o for o in right}
    return {o.call for o in left if o.call in others and first_difference(o.results, others[o.call].results) is None}
