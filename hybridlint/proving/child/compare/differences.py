"""Comparison of two runs of the same calls: the first difference, and the better observation of each call."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.runs.exported_block import comparable, position_outputs
from hybridlint.proving.child.runs.half_precision import half_difference
from hybridlint.proving.child.runs.results import ResultDifference, first_difference
from hybridlint.proving.child.runs.rounding import could_be_rounding, without
from hybridlint.proving.child.runs.runs import Observation, PlannedCall
from hybridlint.proving.child.runs.variants import Variant

if TYPE_CHECKING:
    from collections.abc import Callable


class Mismatch(NamedTuple):
    """The first call in which a variant differs from the reference, in its results or by its failure."""

    call: PlannedCall
    variant: Variant
    difference: ResultDifference | None
    failure: Failure | None

    @property
    def sentence(self) -> str:
        """Return a sentence for the user about the difference from the reference."""
        if self.failure is not None:
            return f"it fails: {self.failure.sentence}"
        assert self.difference is not None
        return f"{self.difference.what} {self.difference.message}"


def first_mismatch(
    reference: Sequence[Observation],
    found: Sequence[Observation],
    variant: Variant,
    full: Mapping[PlannedCall, Observation] | None = None,
    rounded: Mapping[PlannedCall, Collection[str]] | None = None,
) -> Mismatch | None:
    """Return the first call that worked in the reference and failed, or gave another result, in the variant.

    None means that the runs agree. Runs in float16 are measured against `full`, the same calls in float32. `rounded`
    names the results of a call whose difference is explained by rounding.
    """
    all_found = {o.call: o for o in found}
    broken: Failure | None = None
    for expected in reference:
        if expected.failure is not None:
            continue
        seen = all_found.get(expected.call)
        if seen is None or seen.failure is not None:
            broken = seen.failure if seen is not None else broken
            assert broken is not None
            return Mismatch(expected.call, variant, None, broken)
        difference = _difference(expected, seen, variant, full or {}, (rounded or {}).get(expected.call, ()))
        if difference is not None:
            return Mismatch(expected.call, variant, difference, None)
    return None


def explained_mismatch(
    reference: Sequence[Observation],
    found: Sequence[Observation],
    variant: Variant,
    explanations: Iterable[Callable[[], Mapping[PlannedCall, Collection[str]]]],
) -> Mismatch | None:
    """Return the first difference that no explanation accounts for, None if there is none.

    Each explanation returns the results, by call, whose difference it accounts for; one is asked only if results still
    differ after those before it in a way that rounding could explain.
    """
    mismatch = first_mismatch(reference, found, variant)
    rounded: dict[PlannedCall, set[str]] = {}
    for explained in explanations:
        if mismatch is None or mismatch.difference is None:
            return mismatch
        what, largest = mismatch.difference.what, mismatch.difference.largest_absolute
        results = next(seen.results for seen in reference if seen.call == mismatch.call)
        if not could_be_rounding(position_outputs(results) if variant.exported else results, what, largest):
            return mismatch
        for call, names in explained().items():
            rounded.setdefault(call, set()).update(names)
        mismatch = first_mismatch(reference, found, variant, rounded=rounded)
    return mismatch


def _difference(
    expected: Observation,
    seen: Observation,
    variant: Variant,
    full: Mapping[PlannedCall, Observation],
    rounded: Collection[str],
) -> ResultDifference | None:
    if variant.exported:
        left, right = comparable(expected.results, seen.results)
        return first_difference(without(left, rounded), without(right, rounded))
    if rounded:
        expected = expected._replace(results=without(expected.results, rounded))
        seen = seen._replace(results=without(seen.results, rounded))
    if expected.call in full:
        return half_difference(full[expected.call], expected, seen)
    return first_difference(expected.results, seen.results)


def by_call(seen: Sequence[Observation]) -> dict[PlannedCall, Observation]:
    """Return the observations of the calls that worked."""
    return {o.call: o for o in seen if o.failure is None}


def best(first: Sequence[Observation], second: Sequence[Observation]) -> list[Observation]:
    """Return one observation for each call: the first run's if it worked, else the second run's.

    Autograd cannot record eager code that changes arrays in place; it can record the fixed code.
    """
    worked = {**by_call(second), **by_call(first)}
    order = list(dict.fromkeys([o.call for o in first] + [o.call for o in second]))
    failed = {o.call: o for o in [*second, *first] if o.failure is not None}
    return [worked.get(call) or failed[call] for call in order]


def same_calls(left: Sequence[Observation], right: Sequence[Observation]) -> set[PlannedCall]:
    """Return the calls that gave the same results in two runs."""
    others = {o.call: o for o in right}
    return {o.call for o in left if o.call in others and first_difference(o.results, others[o.call].results) is None}
