"""The state of the comparison of a block's runs: their plan, the time left, and the results so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child import run_advice
from hybridlint.proving.child.build.blocks import build, perturb_parameters, reference_names, trainable
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.compare.difference_explanations import Explaining
from hybridlint.proving.child.compare.differences import Mismatch, by_call, explained_mismatch
from hybridlint.proving.child.errors import NotRunError, failure
from hybridlint.proving.child.proof_case import ProofCase, check_forward, overrides_hybridize, traces_anew
from hybridlint.proving.child.runs.call_orders import another_order
from hybridlint.proving.child.runs.results import flatten
from hybridlint.proving.child.runs.runs import CallPlan, Observation, PlannedCall, inputs_of
from hybridlint.proving.child.runs.schedule import affordable
from hybridlint.proving.child.runs.setup import Setup
from hybridlint.proving.child.runs.variants import COMPILED, DOUBLE, EAGER, HALF, ON_GPU, BlockVersion, Runner, Variant
from hybridlint.proving.child.specs.signatures import around_the_graph
from hybridlint.proving.child.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Callable


class Comparison:
    """The comparison of one block's runs with one setup.

    `modes` are keys of MODES. `guessed` says that the inputs were guessed. `so_far` returns the verdict to use if time
    runs out in the next run, None if there is none yet.
    """

    def __init__(
        self,
        case: ProofCase,
        setup: Setup,
        modes: Sequence[str],
        guessed: bool,
        so_far: Callable[[Comparison], Mapping[str, Any] | None],
    ) -> None:
        self._so_far = so_far
        self.before = case.before
        self.after = case.after
        self.judged = case.after or case.before
        self.path = case.path
        self.setup = setup
        self.guessed = guessed
        self.report_stage = case.report_stage
        self.without = case.without
        self.alone = case.alone
        self.timed = case.timed
        #: Variants on another device that are compared too.
        self.elsewhere: Sequence[Variant] = ON_GPU if case.gpu else ()
        self.evidence = case.evidence.trial()
        self.runner = Runner(setup.arguments, case.path)
        #: Name of each variant so far -> None if it agrees with the eager run, else the reason why it was not compared.
        self.seen: dict[str, str | None] = {}
        self.start = case.start
        self.limit = case.limit
        self.seconds = 0.0
        #: Seconds of one call without gradient, and of building the block with its parameters.
        self.forward = self.building = 0.0
        self.reference: list[Observation] = []
        #: The gradients of slopes that compiled runs have multiplied, by name.
        self.slopes: dict[str, None] = {}
        #: Whether runs were compared in which random numbers are drawn without an order.
        self.unordered = False
        #: Settings that no run has changed, and the plan of the runs that change one.
        self.unchanged: list[str] = []
        self.changed: CallPlan | None = None
        flavours = setup.chosen(case.samples)
        self.calls = [PlannedCall(tuple(r.items()), f, mode) for r in setup.rounds for f in flavours for mode in modes]
        self.plan = self._plan()
        left = self.limit - (now() - self.start)
        self.calls = affordable(self.calls, self.forward, left, self.building)
        self.plan = self.plan._replace(calls=self.calls)

    def _plan(self) -> CallPlan:
        """Return the plan; its parameter values are those of a block that has run once, so all shapes are known."""
        world = self.before.world
        begin = now()
        block = build(world, self.before.cls, *self.setup.arguments)
        judged = self._judged_type(block)
        check_forward(judged)
        self.stays_eager = self._stays_eager(judged)
        #: Why the block is not exported, "" if it is.
        self.unexported = _unexported(judged, eager=self.stays_eager)
        #: The method of its own that may prepare the inputs for the graph, "" if there is none.
        self.prepares = around_the_graph(block)
        try:
            inputs = inputs_of(world, self.setup.inputs, self.calls[0])
            start = now()
            dict(flatten(block(*inputs), "output"))
            self.forward = now() - start
            values = perturb_parameters(block)
            self.building = now() - begin - self.forward
        except Exception as error:
            found = failure(error, self.path)
            reason = f"its parameters cannot be initialized: {found.sentence}"
            raise NotRunError(reason, run_advice.EAGERLY, found.row) from error
        names = reference_names(block, values)
        # A fix may stop a block from storing into its inputs, since the hybridized block never did that.
        stores = self.after is None
        return CallPlan(self.setup.inputs, self.calls, values, names, trainable(block), stores=stores)

    def _judged_type(self, block: Any) -> Any:
        """Return the class of the block after the fix, or before it without a fix; `block` is the earlier one."""
        if self.after is None:
            return type(block)
        if isinstance(self.after.cls, type):
            return self.after.cls
        return type(build(self.after.world, self.after.cls, *self.setup.arguments, initialize=False))

    def _stays_eager(self, judged: Any) -> bool:
        """Return whether the judged class has a `hybridize` of its own that leaves its block eager."""
        if not overrides_hybridize(judged):
            return False
        block = build(self.judged.world, self.judged.cls, *self.setup.arguments, initialize=False)
        try:
            block.hybridize()
        except Exception:
            # The runs that follow tell why.
            return False
        return not getattr(block, "_active", True)

    def late(self) -> bool:
        """Whether the run of another variant would exceed the time limit."""
        return now() - self.start + 2 * self.seconds > self.limit

    def label(self, variant: Variant) -> str:
        """Return the name of a variant for the user, with "after the fix" if there is a fix."""
        return variant.name if self.after is None else f"{variant.name} after the fix"

    def reordered(self) -> CallPlan:
        """Return the plan with the same calls in another order."""
        return self.plan._replace(calls=another_order(self.calls))

    def run(self, side: BlockVersion, variant: Variant, engine: int = 0) -> list[Observation]:
        """Return the observations of the plan's calls."""
        return self.runner.run(side, variant, self.plan, engine)

    def mismatch(
        self,
        expected: Sequence[Observation],
        found: Sequence[Observation],
        side: BlockVersion,
        variant: Variant,
        plan: CallPlan,
    ) -> Mismatch | None:
        """Return the first difference between the eager run and that of a variant of `side`, None if they agree.

        Gradients whose terms cancel out may differ by the effect of rounding, and those of slopes as MXNet's graphs
        make them.
        """
        one, other = by_call(expected), by_call(found)
        known = Explaining(self.runner, self.report_stage, self.before, side, variant, plan, one, other)
        doubled = () if DOUBLE in self.without else (known.doubled,)
        mismatch = explained_mismatch(expected, found, variant, (known.slopes, known.rounded, *doubled))
        self.slopes.update(known.multiplied)
        if mismatch is None and side is self.judged:
            self.evidence.agreed(
                variant.name,
                side.label,
                expected,
                found,
                moved=known.moved.values(),
                wide=(known.wide[0].values(), known.wide[1].values()),
                values={name: plan.values[name[12:]] for name in known.multiplied},
                trainable=plan.trainable,
                graph=self.runner.exported if variant.exported else None,
            )
        return mismatch

    def judged_run(self, side: BlockVersion, variant: Variant, plan: CallPlan | None = None) -> list[Observation]:
        """Return the observations of a run that is compared with the eager run; `plan` defaults to the comparison's.

        The stage tells the parent process that the block is refuted if this run never ends or ends the process.
        """
        name = self.label(variant) if side is self.judged else None
        optional = HALF.name if variant.half else None if variant in (EAGER, COMPILED) else variant.name
        known = self._so_far(self) if optional is not None else None
        self.report_stage(Stage(f"running it {variant.name}, {side.label}", name, self.seconds, optional, known))
        return self.runner.run(side, variant, plan or self.plan)


def _unexported(judged: Any, *, eager: bool) -> str:
    """Return why blocks of a class are not exported, "" if they are."""
    if not hasattr(judged, "export"):
        return "only its parts are hybrid"
    if eager:
        return "it stays eager by its own `hybridize`"
    return "each mode has a graph of its own" if traces_anew(judged) else ""
