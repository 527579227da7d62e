"""The verdict on one block: its runs before and after, eager and compiled, compared call by call."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hybridlint.verify.child import advice
from hybridlint.verify.child.blocks import build, perturbed, reference_names, trainable
from hybridlint.verify.child.clock import now
from hybridlint.verify.child.compare import flatten
from hybridlint.verify.child.errors import STORED, DrawsError, NotRunError, check_stopped, failure, instead, lacking
from hybridlint.verify.child.executed import executed_rows
from hybridlint.verify.child.gaps import Gap, best, first_gap, same_calls
from hybridlint.verify.child.half import half_plan, unusable
from hybridlint.verify.child.locating import Location, Version, graph_nodes, locate
from hybridlint.verify.child.orders import another_order
from hybridlint.verify.child.realism import flatters
from hybridlint.verify.child.runs import MODES, Call, Observation, Plan, inputs_of
from hybridlint.verify.child.schedule import EAGERLY, affordable
from hybridlint.verify.child.scope import in_words, scope
from hybridlint.verify.child.setup import Setup
from hybridlint.verify.child.stages import LATE, PLACE, SURROUNDINGS, TRIAL, Stage
from hybridlint.verify.child.trial import Finder
from hybridlint.verify.child.variants import (
    COMPILED,
    EAGER,
    EAGER_HALF,
    EXPORTED,
    FULL,
    HALF,
    REORDERED,
    Runner,
    Side,
    Variant,
)
from hybridlint.verify.child.written import directive
from hybridlint.verify.outcome import BY_HAND

PROVED, REFUTED, NOT_RUN = "proved", "refuted", "not run"
#: How MXNet, and the bundled runtime, refuse the gradient of indices.
_INDICES = re.compile(r"indices no gradient|support calculate data gradient")

if TYPE_CHECKING:
    from collections.abc import Callable


class Case(NamedTuple):
    """A class in the file `path` to be judged: as it stands, or before and after fixes.

    `say` is told what is done; `without` names variants that are left out, with the reason. The time limit is in
    seconds from `start`.
    """

    path: str
    before: Side
    after: Side | None
    samples: int
    limit: float
    start: float
    say: Callable[[Stage], None]
    without: Mapping[str, str]


def judge(case: Case, finder: Finder) -> dict[str, Any]:
    """Return the verdict on a class as JSON data. Raises NotRunError where nothing can be said."""
    judged = case.after or case.before
    if isinstance(judged.cls, type):
        check_forward(judged.cls)
    finder.compiled = None if TRIAL in case.without else (judged.world, judged.cls)
    if SURROUNDINGS in case.without:
        finder.surroundings = None
    setup = finder.find()
    guessed = not finder.recipe and not finder.recorded
    try:
        verdict = judge_setup(case, setup, guessed=guessed)
    except NotRunError as error:
        return _judged_enclosed(case, finder, setup, error)
    if verdict["status"] != REFUTED or setup.arguments.within is not None:
        return verdict
    # Inputs that were guessed may be such as the block was never meant for.
    better = finder.enclosed()
    if better is None or flatters(better.inputs):
        return verdict
    try:
        return judge_setup(case, better, guessed=True)
    except NotRunError:
        return verdict


def _judged_enclosed(case: Case, finder: Finder, setup: Setup, error: NotRunError) -> dict[str, Any]:
    """Return the verdict on the inputs that a larger block shows, where others say nothing; else raise the error."""
    better = None if setup.arguments.within is not None else finder.enclosed()
    if better is None:
        raise error
    try:
        return judge_setup(case, better, guessed=True)
    except NotRunError:
        raise error from None


def judge_setup(case: Case, setup: Setup, *, guessed: bool = False) -> dict[str, Any]:
    """Return the verdict on a class that is built and called in a known way. Raises NotRunError.

    Inputs that were `guessed` must work in all modes, or they are none that the block was meant for.
    """
    try:
        return _Trial(case, setup, tuple(MODES), guessed).verdict()
    except DrawsError as error:
        verdict = _Trial(case, setup, [mode for mode in MODES if mode != "train"], guessed).verdict()
        if verdict["status"] == PROVED:
            verdict["reason"] += f"; in train mode {error.reason}"
        return verdict


def check_forward(cls: Any) -> None:
    """Raise NotRunError for a HybridBlock that overrides forward: hybridize() never compiles it."""
    for base in cls.__mro__:
        if base.__module__.startswith(("mxnet.", "hybridlint.runtime.")):
            return
        if "hybrid_forward" in vars(base):
            return
        if "forward" in vars(base):
            raise NotRunError(
                "it overrides forward, which hybridize() never compiles",
                "Write `hybrid_forward` in place of `forward`.",
            )


class _Trial:
    def __init__(self, case: Case, setup: Setup, modes: Sequence[str], guessed: bool) -> None:
        self.before = case.before
        self.after = case.after
        self.judged = case.after or case.before
        self.path = case.path
        self.setup = setup
        self.guessed = guessed
        self.say = case.say
        self.without = case.without
        self.runner = Runner(setup.arguments, case.path)
        #: Variants that agree, and why others are no measure.
        self.seen: dict[str, str | None] = {}
        self.start = case.start
        self.limit = case.limit
        self.seconds = 0.0
        #: Seconds of one call that computes no gradient, and of all that must be done before.
        self.forward = self.building = 0.0
        self.reference: list[Observation] = []
        flavours = setup.chosen(case.samples)
        self.calls = [Call(tuple(r.items()), f, mode) for r in setup.rounds for f in flavours for mode in modes]
        self.plan = self._plan()
        left = self.limit - (now() - self.start)
        self.calls = affordable(self.calls, self.forward, left, self.building)
        self.plan = self.plan._replace(calls=self.calls)

    def _plan(self) -> Plan:
        """Fix the initial parameters: those of a block that has run once, so that all shapes are known."""
        world = self.before.world
        begin = now()
        block = build(world, self.before.cls, *self.setup.arguments)
        check_forward(type(block))
        self.exports = hasattr(block, "export")
        try:
            inputs = inputs_of(world, self.setup.inputs, self.calls[0])
            start = now()
            dict(flatten(block(*inputs), "output"))
            self.forward = now() - start
            values = perturbed(block)
            self.building = now() - begin - self.forward
        except Exception as error:
            found = failure(error, self.path)
            reason = f"its parameters cannot be initialized: {found.sentence}"
            raise NotRunError(reason, advice.EAGERLY, found.row) from error
        return Plan(self.setup.inputs, self.calls, values, reference_names(block, values), trainable(block))

    def verdict(self) -> dict[str, Any]:
        """Run all variants and return what they say."""
        self.say(Stage("running it eagerly" if self.after is None else "running it eagerly before the fix"))
        start = now()
        self.plan = self.plan._replace(until=start + EAGERLY * (self.limit - (start - self.start)))
        reference = self._run(self.before, EAGER)
        if any(o.failure is not None and _INDICES.search(o.failure.sentence) for o in reference):
            # What an Embedding looks up by has no gradient; its parameters have.
            self.plan = self.plan._replace(of_inputs=False)
            reference = self._run(self.before, EAGER)
        self.reference = reference
        self.calls = self.calls[: self.calls.index(reference[-1].call) + 1]
        self.plan = self.plan._replace(calls=self.calls, until=None)
        self.seconds = now() - start
        if reference[0].failure is not None:
            found = reference[0].failure
            check_stopped(found)
            raise NotRunError(f"it does not run eagerly: {found.sentence}", advice.EAGERLY, found.row)
        self._check_finite(reference)
        self._check_modes(reference)
        if self.after is None:
            return self._as_it_stands(reference)
        return self._fixed(reference, self.after)

    # -- verdicts

    def _as_it_stands(self, reference: list[Observation]) -> dict[str, Any]:
        gap = self._compiled_gap(self.before, reference) or self._half_gap(reference)
        if gap is None:
            return self._proved(reference, self._agreement)
        return self._refuted(gap, fault=False)

    def _fixed(self, reference: list[Observation], after: Side) -> dict[str, Any]:
        eager = self._judged_run(after, EAGER)
        gap = first_gap(reference, eager, EAGER)
        if gap is not None:
            if gap.failure is None:
                self._check_draws(self.before, gap, reference)
            return self._refuted(gap, fault=True)
        joint = best(reference, eager)
        gap = self._compiled_gap(after, joint)
        if gap is None:
            gap = self._half_gap(joint)
            if gap is None:
                return self._proved(joint, self._agreement)
            return self._refuted(gap, fault=True)
        earlier = self._earlier_gap(reference)
        if gap.failure is not None and earlier is not None and earlier.failure is not None:
            raise NotRunError(
                f"eagerly it is the same before and after, but hybridized it still fails: {gap.failure.sentence}",
                BY_HAND,
                gap.failure.row,
                fixed=True,
            )
        silent_before = earlier is not None and earlier.failure is None
        return self._refuted(gap, fault=not silent_before)

    def _compiled_gap(self, side: Side, reference: list[Observation]) -> Gap | None:
        for variant in FULL:
            if variant is not COMPILED and (variant.name in self.without or self._late()):
                self.seen[variant.name] = self.without.get(variant.name, LATE)
                continue
            if variant.exported and not self.exports:
                self.seen[variant.name] = "only its parts are hybrid"
                continue
            gap = first_gap(reference, self._judged_run(side, variant), variant)
            if gap is None:
                self.seen[variant.name] = None
                continue
            try:
                self._check_lacking(gap)
                if gap.failure is None:
                    self._check_draws(side, gap, reference)
            except NotRunError as error:
                if variant is not EXPORTED:
                    raise
                self.seen[variant.name] = error.reason
                continue
            return gap
        return self._order_gap(side, self._judged_run)

    def _order_gap(self, side: Side, run: Callable[[Side, Variant, Plan], list[Observation]]) -> Gap | None:
        """Return where runs part that make the calls in another order, None where they agree or are no measure."""
        name = REORDERED.name
        if name in self.without or self._late():
            self.seen[name] = self.without.get(name, LATE)
            return None
        plan = self._reordered()
        known = self._so_far() if side is self.judged else None
        self.say(Stage("running it eagerly in another order", optional=name, verdict=known))
        expected = self.runner.run(self.before, EAGER, plan)
        gap = first_gap(expected, run(side, REORDERED, plan), REORDERED)
        for engine in (0, 1) if gap is not None and gap.failure is None else ():
            again = self.runner.run(self.before, EAGER, plan, engine)
            if gap is not None and gap.call not in same_calls(expected, again):
                self.seen[name] = "it draws random numbers in another order"
                return None
        if gap is None:
            self.seen[name] = None
        return gap

    def _reordered(self) -> Plan:
        return self.plan._replace(calls=another_order(self.calls))

    def _earlier_gap(self, reference: list[Observation]) -> Gap | None:
        """Return where the runs before the fix part, so that it cannot be at fault for the same."""
        self.say(Stage("running it compiled before the fix"))
        gaps = (first_gap(reference, self._run(self.before, variant), variant) for variant in FULL)
        found = next((gap for gap in gaps if gap is not None), None)
        return found or self._order_gap(self.before, self.runner.run)

    def _half_gap(self, reference: Sequence[Observation]) -> Gap | None:
        """Return where runs in float16 part, None where they agree or are no measure, which is noted."""
        if HALF.name in self.without or self._late():
            self.seen[HALF.name] = self.without.get(HALF.name, LATE)
            return None
        plan = half_plan(self.plan)
        self.say(Stage(f"running it {EAGER_HALF.name}", optional=HALF.name, verdict=self._so_far()))
        expected = self.runner.run(self.before, EAGER_HALF, plan)
        full = {observation.call: observation for observation in reference}
        self.seen[HALF.name] = unusable(expected, full)
        for variant in (EAGER_HALF, HALF) if self.after is not None else (HALF,):
            if self.seen[HALF.name] is not None:
                return None
            found = self._judged_run(self.judged, variant, plan)
            gap = first_gap(expected, found, variant, full)
            if gap is not None and not self._excused(gap, expected, full, plan):
                return gap
            if variant is EAGER_HALF:
                expected = best(expected, found)
        return None

    def _excused(self, gap: Gap, expected: list[Observation], full: Mapping[Call, Observation], plan: Plan) -> bool:
        """Whether a gap in float16 is no fault of the block's, or of the fix: the reason is noted."""
        self.say(Stage("running it in float16 again", optional=HALF.name))
        other = self.runner.run(self.before, EAGER_HALF, plan, engine=1)
        if gap.failure is not None and gap.failure.lacking:
            self.seen[HALF.name] = lacking(gap.failure.sentence)
        elif gap.failure is not None and self.after is None:
            # What was written for float32 need not take float16; it says so itself.
            self.seen[HALF.name] = f"only eagerly it takes float16: {gap.failure.sentence}"
        elif gap.failure is None and gap.call not in same_calls(expected, other):
            self.seen[HALF.name] = "it draws random numbers in another order"
        elif self.after is not None and first_gap(expected, self.runner.run(self.before, HALF, plan), HALF, full):
            self.seen[HALF.name] = f"compiled it differs, as it did before the fix: {_sentence(gap)}"
        return self.seen[HALF.name] is not None

    @property
    def _agreement(self) -> str:
        return "compiled = eager" if self.after is None else "eager before = eager after = compiled after"

    def _so_far(self) -> dict[str, Any] | None:
        """Return the verdict where no time is left for what is still to be compared, None before there is one."""
        agrees = COMPILED.name in self.seen and self.seen[COMPILED.name] is None
        return self._proved(self.reference, self._agreement, finished=False) if agrees else None

    def _proved(self, reference: Sequence[Observation], what: str, *, finished: bool = True) -> dict[str, Any]:
        gradients = any(name.startswith("gradient") for o in reference for name in o.results)
        ran = [o.call for o in reference if o.failure is None]
        only = scope(self.setup, ran)
        if all(call.mode == "predict" for call in self.calls):
            what += f"; its gradient was not compared: {LATE}"
        failed = next((o.failure for o in reference if o.failure is not None), None)
        if failed is not None:
            what += f"; its gradient was not compared, which fails eagerly too: {failed.sentence}"
        return {
            "status": PROVED,
            "reason": f"{in_words(only)}{what}",
            "only": only,
            "rows": self._executed() if finished else [],
            "runs": len(ran),
            "rounds": [dict(r) for r in self.setup.rounds],
            "gradients": gradients,
            "setup": self.setup.text,
            "directive": directive(self.setup),
            "variants": self._variants(),
            "graph": graph_nodes(self.runner.graph),
        }

    def _executed(self) -> list[int]:
        """Return the rows that building the block and a first compiled call execute, none where there is no time."""
        if self._late():
            return []
        self.say(Stage("running it compiled once more"))
        world = self.judged.world

        def run() -> None:
            block = build(world, self.judged.cls, *self.setup.arguments)
            block.hybridize()
            block(*inputs_of(world, self.setup.inputs, self.calls[0]))

        return executed_rows(self.path, run)

    def _refuted(self, gap: Gap, *, fault: bool) -> dict[str, Any]:
        self._check_lacking(gap)
        self._check_repeatable()
        variant = self._label(gap.variant)
        reason = f"{variant}: {_sentence(gap)}"
        if self.after is not None and not fault:
            reason += "; before the fix it differed too"
        verdict = {
            "status": REFUTED,
            "reason": reason,
            "row": None if gap.failure is None else gap.failure.row,
            "fixed": self.after is not None,
            "fault": fault,
            "call": str(gap.call),
            "variant": variant,
            "difference": None if gap.difference is None else gap.difference._asdict(),
            "setup": self.setup.text,
            "variants": self._variants(),
        }
        location = self._location(gap, self.before if self.after is not None and fault else self.judged, verdict)
        return {**verdict, "parting": location.parting, "graph": location.graph}

    def _location(self, gap: Gap, expected: Side, verdict: Mapping[str, Any]) -> Location:
        if PLACE in self.without:
            return Location(None, [])
        self.say(Stage("looking for the place where the runs part", optional=PLACE, verdict=verdict))
        return locate(
            self._version(expected, gap.variant),
            self._version(self.judged, gap.variant),
            half_plan(self.plan) if gap.variant.half else self._reordered() if gap.call.turn else self.plan,
            gap.call,
            compiled=gap.variant.flags is not None,
            gradient=gap.difference is not None and gap.difference.what.startswith("gradient"),
        )

    def _variants(self) -> list[dict[str, Any]]:
        return [{"name": name, "note": note} for name, note in self.seen.items()]

    def _version(self, side: Side, variant: Variant) -> Version:
        return Version(side.world, side.cls, self.setup.arguments, self.path, side.text, variant.half)

    def _label(self, variant: Variant) -> str:
        return variant.name if self.after is None else f"{variant.name} after the fix"

    def _late(self) -> bool:
        """Whether another variant would take more time than is left; what was compared so far stays."""
        return now() - self.start + 2 * self.seconds > self.limit

    # -- what makes a comparison impossible

    def _check_lacking(self, gap: Gap) -> None:
        check_stopped(gap.failure)
        if gap.failure is not None and gap.failure.lacking:
            reason = f"{self._label(gap.variant)}: {lacking(gap.failure.sentence)}"
            add = instead(gap.failure.sentence)
            raise NotRunError(reason, add, gap.failure.row, fixed=self.after is not None)

    def _check_repeatable(self) -> None:
        if first_gap(self.reference, self._run(self.before, EAGER), EAGER) is not None:
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
                advice.out_of_range(self.setup),
            )

    def _check_modes(self, reference: list[Observation]) -> None:
        """Raise NotRunError where guessed inputs work in predict mode alone.

        What is stored in place cannot be recorded, whatever the inputs are.
        """
        failures = [(o.call, o.failure) for o in reference if o.failure is not None and not o.ran]
        if not self.guessed or not failures or STORED.search(failures[0][1].sentence):
            return
        call, found = failures[0]
        raise NotRunError(
            f"on the inputs tried {self.setup.text} it runs in predict mode only; with {call}: {found.sentence}",
            'Say what it takes: # hybridlint: verify(x=("N", 4))',
            found.row,
        )

    def _check_draws(self, side: Side, gap: Gap, reference: list[Observation]) -> None:
        """Raise NotRunError where a difference lies in a call whose result depends on mxnet's random numbers."""
        if gap.call in same_calls(reference, self._run(self.before, EAGER, engine=1)):
            return
        # What drew eagerly and draws no more has lost its noise: a mode that was frozen at the trace.
        if gap.call in same_calls(self._run(side, gap.variant), self._run(side, gap.variant, engine=1)):
            return
        kind = DrawsError if gap.call.mode == "train" else NotRunError
        raise kind(f"it draws random numbers in another order ({side.label}), which no seed makes equal")

    def _judged_run(self, side: Side, variant: Variant, plan: Plan | None = None) -> list[Observation]:
        """Run what is compared with the eager run: where it never ends, or ends the process, it differs."""
        name = self._label(variant) if side is self.judged else None
        optional = HALF.name if variant.half else None if variant in (EAGER, COMPILED) else variant.name
        known = self._so_far() if optional is not None else None
        self.say(Stage(f"running it {variant.name}, {side.label}", name, self.seconds, optional, known))
        return self.runner.run(side, variant, plan or self.plan)

    def _run(self, side: Side, variant: Variant, engine: int = 0) -> list[Observation]:
        return self.runner.run(side, variant, self.plan, engine)


def _sentence(gap: Gap) -> str:
    if gap.failure is not None:
        return f"it fails: {gap.failure.sentence}"
    assert gap.difference is not None
    return f"{gap.difference.what} {gap.difference.message}"
