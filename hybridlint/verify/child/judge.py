"""The verdict on one block: its runs before and after, eager and compiled, compared call by call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hybridlint.verify.child.blocks import build, perturbed, reference_names
from hybridlint.verify.child.compare import Difference, first_difference
from hybridlint.verify.child.errors import LACKING, Failure, NotRunError, failure
from hybridlint.verify.child.runs import MODES, Call, Observation, Plan, inputs_of, observe
from hybridlint.verify.child.specs import World
from hybridlint.verify.child.trial import Finder, Setup

PROVED, REFUTED, NOT_RUN = "proved", "refuted", "not run"
STATIC = {"static_alloc": True, "static_shape": True}

if TYPE_CHECKING:
    from collections.abc import Callable

    Say = Callable[[str], None]


class Side(NamedTuple):
    """A version of the class with the modules around it."""

    label: str
    world: World
    cls: Any


class Gap(NamedTuple):
    """Where the runs of two variants part: a difference in results, or a failure of the second."""

    call: Call
    difference: Difference | None
    failure: Failure | None


class Case(NamedTuple):
    """A class in the file `path` to be judged: as it stands, or before and after fixes.

    `recipe` is what the user says of building and calling it; `say` is told what is done.
    """

    path: str
    before: Side
    after: Side | None
    recipe: Mapping[str, Any]
    batches: Sequence[int]
    samples: int
    say: Say


def judge(case: Case) -> dict[str, Any]:
    """Return the verdict on a class as JSON data. Raises NotRunError where nothing can be said."""
    _check_forward(case.before.cls if case.after is None else case.after.cls)
    case.say("looking for inputs")
    finder = Finder(case.before.world, case.before.cls, case.path, case.recipe, case.batches)
    if case.after is not None:
        finder.compiled = (case.after.world, case.after.cls)
    setup = finder.find()
    return _Trial(case, setup).verdict()


def _check_forward(cls: Any) -> None:
    """Raise NotRunError for a HybridBlock that overrides forward: hybridize() never compiles it."""
    for base in cls.__mro__:
        if base.__module__.startswith("mxnet."):
            return
        if "hybrid_forward" in vars(base):
            return
        if "forward" in vars(base):
            raise NotRunError("it overrides forward, which hybridize() never compiles")


class _Trial:
    def __init__(self, case: Case, setup: Setup) -> None:
        self.before = case.before
        self.after = case.after
        self.path = case.path
        self.setup = setup
        self.say = case.say
        flavours = setup.chosen(case.samples)
        self.calls = [Call(tuple(r.items()), f, mode) for r in setup.rounds for f in flavours for mode in MODES]
        self.plan = self._plan()

    def _plan(self) -> Plan:
        """Fix the initial parameters: those of a block that has run once, so that all shapes are known."""
        world = self.before.world
        block = build(world, self.before.cls, *self.setup.arguments)
        try:
            block(*inputs_of(world, self.setup.inputs, self.calls[0]))
            values = perturbed(block)
        except Exception as error:
            found = failure(error, self.path)
            raise NotRunError(f"its parameters cannot be initialized: {found.sentence}", None, found.row) from error
        return Plan(self.setup.inputs, self.calls, values, reference_names(block))

    def verdict(self) -> dict[str, Any]:
        """Run all variants and return what they say."""
        self.say("running it eagerly" if self.after is None else "running it eagerly before the fix")
        reference = self._run(self.before, None)
        if reference[0].failure is not None:
            found = reference[0].failure
            raise NotRunError(f"it does not run eagerly: {found.sentence}", None, found.row)
        self._check_repeatable(reference)
        self._check_finite(reference)
        if self.after is None:
            return self._as_it_stands(reference)
        return self._fixed(reference, self.after)

    # -- verdicts

    def _as_it_stands(self, reference: list[Observation]) -> dict[str, Any]:
        gap = self._compiled_gap(self.before, reference)
        if gap is None:
            return self._proved(reference, "compiled = eager")
        if gap.failure is not None:
            return self._refuted(gap, "compiled", fault=False)
        self._check_draws(self.before, gap, reference)
        return self._refuted(gap, "compiled", fault=False)

    def _fixed(self, reference: list[Observation], after: Side) -> dict[str, Any]:
        self.say("running it eagerly after the fix")
        eager = self._run(after, None)
        gap = _gap(reference, eager)
        if gap is not None:
            if gap.failure is None:
                self._check_draws(self.before, gap, reference)
            return self._refuted(gap, "eager after the fix", fault=True)
        joint = _best(reference, eager)
        gap = self._compiled_gap(after, joint)
        if gap is None:
            return self._proved(joint, "eager before = eager after = compiled after")
        self.say("running it compiled before the fix")
        earlier = self._compiled_gap(self.before, reference)
        if gap.failure is not None and earlier is not None and (earlier.failure is not None):
            raise NotRunError(
                f"eagerly it is the same before and after, but hybridized it still fails: {gap.failure.sentence}",
                "Fix what is left by hand or with `--unsafe-fixes`.",
                gap.failure.row,
            )
        if gap.failure is None:
            self._check_draws(after, gap, joint)
        silent_before = earlier is not None and earlier.failure is None
        return self._refuted(gap, "compiled after the fix", fault=not silent_before)

    def _compiled_gap(self, side: Side, reference: list[Observation]) -> Gap | None:
        for flags in ({}, STATIC):
            self.say(f"running it compiled{' with static_alloc' if flags else ''} ({side.label})")
            gap = _gap(reference, self._run(side, flags))
            if gap is not None:
                return gap
        return None

    def _proved(self, reference: Sequence[Observation], what: str) -> dict[str, Any]:
        gradients = any(name.startswith("gradient") for o in reference for name in o.results)
        rounds = [dict(r) for r in self.setup.rounds]
        failed = next((o.failure for o in reference if o.failure is not None), None)
        if failed is not None:
            what += f"; its gradient was not compared, which fails eagerly too: {failed.sentence}"
        return {
            "status": PROVED,
            "reason": what,
            "runs": sum(o.failure is None for o in reference),
            "rounds": rounds,
            "gradients": gradients,
            "setup": self.setup.text,
        }

    def _refuted(self, gap: Gap, variant: str, *, fault: bool) -> dict[str, Any]:
        row = None
        if gap.failure is not None and gap.failure.lacking:
            raise NotRunError(f"{variant}: {LACKING}: {gap.failure.sentence}", None, gap.failure.row)
        if gap.failure is not None:
            reason = f"{variant}: it fails: {gap.failure.sentence}"
            row = gap.failure.row
        else:
            assert gap.difference is not None
            reason = f"{variant}: {gap.difference.what} {gap.difference.message}"
        if self.after is not None and not fault:
            reason += "; before the fix it differed too"
        return {
            "status": REFUTED,
            "reason": reason,
            "row": row,
            "fault": fault,
            "call": str(gap.call),
            "variant": variant,
            "difference": None if gap.difference is None else gap.difference._asdict(),
            "setup": self.setup.text,
        }

    # -- what makes a comparison impossible

    def _check_repeatable(self, reference: list[Observation]) -> None:
        gap = _gap(reference, self._run(self.before, None))
        if gap is not None:
            raise NotRunError(
                "the same eager code gives another result for the same inputs, parameters and seeds",
                "Take the source of the differences (the clock, files, global state) out of the forward pass.",
            )

    def _check_finite(self, reference: list[Observation]) -> None:
        outputs = [
            value
            for o in reference
            for name, value in o.results.items()
            if name.startswith("output") and isinstance(value, np.ndarray) and value.dtype.kind == "f"
        ]
        if outputs and not any(np.isfinite(value).any() for value in outputs):
            raise NotRunError(
                f"all outputs are nan or infinite on the inputs tried {self.setup.text}",
                'Give inputs in a better range: # hybridlint: verify(x=("N", 4, uniform(0, 1)))',
            )

    def _check_draws(self, side: Side, gap: Gap, reference: list[Observation]) -> None:
        """Raise NotRunError where a difference lies in a call whose result depends on mxnet's random numbers."""
        other = self._run(self.before, None, engine=1)
        drawn = {o.call for o, p in _pairs(reference, other) if first_difference(o.results, p.results) is not None}
        if gap.call not in drawn:
            return
        rest = "; in predict mode all runs agree" if gap.call.mode == "train" else ""
        raise NotRunError(f"it draws random numbers in another order ({side.label}), which no seed makes equal{rest}")

    def _run(self, side: Side, flags: Mapping[str, Any] | None, engine: int = 0) -> list[Observation]:
        block = build(side.world, side.cls, *self.setup.arguments)
        if flags is not None:
            block.hybridize(**flags)
        return observe(side.world, block, self.plan, self.path, engine)


def _gap(reference: Sequence[Observation], found: Sequence[Observation]) -> Gap | None:
    """Return the first call that worked in the reference and gave something else, or nothing, here."""
    by_call = {o.call: o for o in found}
    broken: Failure | None = None
    for expected in reference:
        if expected.failure is not None:
            continue
        seen = by_call.get(expected.call)
        if seen is None or seen.failure is not None:
            broken = seen.failure if seen is not None else broken
            assert broken is not None
            return Gap(expected.call, None, broken)
        difference = first_difference(expected.results, seen.results)
        if difference is not None:
            return Gap(expected.call, difference, None)
    return None


def _best(first: Sequence[Observation], second: Sequence[Observation]) -> list[Observation]:
    """Return, for each call, the first observation where it worked, else the second.

    Eager code that changes arrays in place cannot be recorded; the fixed code can.
    """
    worked = {o.call: o for o in second if o.failure is None}
    worked.update({o.call: o for o in first if o.failure is None})
    order = list(dict.fromkeys([o.call for o in first] + [o.call for o in second]))
    failed = {o.call: o for o in [*second, *first] if o.failure is not None}
    return [worked.get(call) or failed[call] for call in order]


def _pairs(left: Sequence[Any], right: Sequence[Any]) -> list[Any]:
    return [(left[k], right[k]) for k in range(min(len(left), len(right)))]
