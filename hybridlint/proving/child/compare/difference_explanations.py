"""Explanations of results that differ: MXNet's graphs multiply the gradients of slopes, and rounding moves others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hybridlint.proving.child.compare.differences import by_call
from hybridlint.proving.child.runs.casting import cast_plan
from hybridlint.proving.child.runs.prelu_gradients import multiplied_gradients
from hybridlint.proving.child.runs.rounding import equal_in_double, nudge_parameters, within_rounding
from hybridlint.proving.child.runs.runs import CallPlan, Observation, PlannedCall
from hybridlint.proving.child.runs.variants import DOUBLE, EAGER, BlockVersion, Runner, Variant
from hybridlint.proving.child.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class Explaining:
    """The explanations of one comparison: each returns the results of a call that it accounts for.

    The run `found` of a variant of `side` by `plan` is compared with `expected`, both by call; more runs are made by
    `runner`, those of `before` eager. What they gave is kept, as is which gradients were `multiplied`.
    """

    runner: Runner
    report_stage: Callable[[Stage], None]
    before: BlockVersion
    side: BlockVersion
    variant: Variant
    plan: CallPlan
    expected: Mapping[PlannedCall, Observation]
    found: Mapping[PlannedCall, Observation]
    moved: Mapping[PlannedCall, Observation] = field(default_factory=dict)
    wide: tuple[Mapping[PlannedCall, Observation], Mapping[PlannedCall, Observation]] = field(
        default_factory=lambda: ({}, {})
    )
    multiplied: dict[str, None] = field(default_factory=dict)

    @property
    def known(self) -> set[PlannedCall]:
        """The calls that both runs have."""
        return {call for call in self.expected if call in self.found}

    def slopes(self) -> dict[PlannedCall, list[str]]:
        """Return the gradients that a graph multiplies by the slope that they are for."""
        if self.variant.flags is None:
            return {}
        names = {call: multiplied_gradients(self.expected[call], self.found[call], self.plan) for call in self.known}
        self.multiplied.update((name, None) for call in self.found if call in names for name in names[call])
        return names

    def rounded(self) -> dict[PlannedCall, list[str]]:
        """Return the gradients and outputs that differ as they do once parameters are rounded the other way."""
        self.report_stage(Stage("running it eagerly with parameters that are rounded otherwise"))
        self.moved = by_call(self.runner.run(self.before, EAGER, nudge_parameters(self.plan)))
        both = self.known & self.moved.keys()
        compared = {call: (self.expected[call], self.moved[call], self.found[call]) for call in both}
        return {call: within_rounding(*seen, exported=self.variant.exported) for call, seen in compared.items()}

    def doubled(self) -> dict[PlannedCall, list[str]]:
        """Return the gradients that differ in float32, but not in float64; nothing if the block takes no float64."""
        if self.variant.dtype:
            return {}
        self.report_stage(Stage("running it in float64"))
        wide = cast_plan(self.plan, DOUBLE)
        first = by_call(self.runner.run(self.before, EAGER.double(), wide))
        second = by_call(self.runner.run(self.side, self.variant.double(), wide)) if first else {}
        self.wide = (first, second)
        both = self.known & first.keys() & second.keys()
        pairs = {call: (first[call], second[call]) for call in both}
        return {call: equal_in_double(self.expected[call], self.found[call], pair) for call, pair in pairs.items()}
