"""The search for constructor arguments and forward inputs with which the original block runs eagerly."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child import run_advice
from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.build.values.block_arguments import stands_in
from hybridlint.proving.child.build.values.choices import choices
from hybridlint.proving.child.build.values.given_arrays import as_array, numbers_by_guess
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.errors import Failure, NotRunError
from hybridlint.proving.child.inputs import shapes
from hybridlint.proving.child.inputs.candidate_queue import CandidateScheduler
from hybridlint.proving.child.inputs.repairs import spatial_sizes
from hybridlint.proving.child.inputs.source.documented_inputs import documented_specs
from hybridlint.proving.child.inputs.source.input_hints import layer_inputs
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.runs.setup import Attempt, Setup
from hybridlint.proving.child.search.accepted_setups import Accepted
from hybridlint.proving.child.search.ambiguous_channels import ONE_CHANNEL, AmbiguousChannels
from hybridlint.proving.child.search.ambiguous_kinds import AmbiguousKinds
from hybridlint.proving.child.search.ambiguous_ranks import with_fewer_axes
from hybridlint.proving.child.search.call_sizes import Rounds
from hybridlint.proving.child.search.called_setups import CalledSetup, CalledSetups
from hybridlint.proving.child.search.chance_sizes import flatters, with_ones
from hybridlint.proving.child.search.embedded_setups import EmbeddedSetups
from hybridlint.proving.child.search.input_choice import FoundInputs, InputChoice, axes_of, numbers_alone, of_shapes
from hybridlint.proving.child.search.recorded import arguments_of, inputs_of_record, rounds_of
from hybridlint.proving.child.search.search_target import SearchTarget
from hybridlint.proving.child.search.size_diversifier import SizeDiversifier
from hybridlint.proving.child.search.symbolic_axes import SymbolicSizes, name_free_axes
from hybridlint.proving.child.search.trial_runs import SLOW
from hybridlint.proving.child.search.unused_list_items import restriction, without_surplus
from hybridlint.proving.child.specs.signatures import forward_of
from hybridlint.proving.child.specs.spec import tensors
from hybridlint.proving.child.stages import LOOKING, OTHER_SIZES, RECORDED, Stage
from hybridlint.text.plurals import is_plural

if TYPE_CHECKING:
    from collections.abc import Callable


#: Fractions of a block's time limit after which the search on the block alone, and that in larger blocks, end.
ALONE, ENCLOSED = 0.45, 0.7


class SetupFinder:
    """Finds a setup (constructor arguments, inputs and sizes) for one class.

    Guessed inputs must be accepted by the eager run. `compiled`, a version of the class with its world, is hybridized
    only to decide between equally likely inputs.
    """

    def __init__(self, subject: SearchTarget) -> None:
        self.subject = subject
        self.compiled: tuple[LoadedModule, Any] | None = (subject.world, subject.cls)
        #: Whether other sizes are tried than those of a call that the project writes out.
        self.varies = True
        #: Whether recorded runs are tried.
        self.repeats_record = True
        self.enclosing = EmbeddedSetups(self)
        self._accepted = Accepted(subject)
        self.tries = self._accepted.tries
        self._until_enclosed = float("inf")

    def until(self, start: float, limit: float) -> None:
        """Set the deadlines: work on the block began at the time `start` and may take `limit` seconds.

        The search uses only a part of them, so that time is left for the runs of the proof.
        """
        self._until_enclosed = start + ENCLOSED * limit
        self._accepted.end_at(start + ALONE * limit, ALONE * limit)

    def find(self) -> Setup:
        """Return the first setup that works. Raises NotRunError if there is none."""
        self.subject.report_stage(LOOKING)
        self._accepted.begin(self.compiled)
        self.tries.trains = not self._accepted.given
        try:
            return self._alone(self._accepted.lines(self._accepted.constructions()), self.enclosing.first)
        except NotRunError:
            setup = self.enclosing.first()
            if setup is not None:
                return setup
            if self._accepted.given or choices(self.subject.cls) == choices(self.subject.cls, keys=True):
                raise
        return self._alone(self._accepted.lines(self._accepted.constructions(keys=True)))

    def called(self) -> CalledSetup | None:
        """Return the setup of a call that the project writes out; None if none works."""
        self.subject.report_stage(LOOKING)
        self._accepted.begin(self.compiled)
        called = CalledSetups(self.subject, self._accepted.taken, self._varied if self.varies else None)
        return called.first(self._accepted.until)

    def _varied(self, found: FoundInputs) -> Setup:
        """Return a setup with sizes that differ from a call's sizes; a new child may skip this."""
        self.subject.report_stage(Stage(LOOKING.stage, optional=OTHER_SIZES))
        setup = self._setup(found, ())
        self.subject.report_stage(LOOKING)
        return setup

    def recorded(self) -> Setup | None:
        """Return the first recorded setup that works here; None if none does."""
        recorded = self.subject.recorded if self.repeats_record else ()
        if not recorded:
            return None
        self._accepted.begin(self.compiled)
        self.subject.report_stage(Stage(LOOKING.stage, optional=RECORDED))
        setups = filter(None, map(self._of_record, recorded))
        setup = next(setups, None)
        self.subject.report_stage(LOOKING)
        return setup

    def _of_record(self, call: Mapping[str, Any]) -> Setup | None:
        arguments_, inputs = arguments_of(call), inputs_of_record(call)
        if arguments_ is None or inputs is None:
            return None
        setup = self.tries.setup(arguments_, inputs, rounds_of(call, self.subject.batches))
        return None if isinstance(setup, Failure) else setup

    def until_enclosed(self) -> float:
        """Return the time at which a search in larger blocks ends if it begins now."""
        return min(now() + self._accepted.patience, self._until_enclosed)

    def builds(self, arguments_: ConstructorArguments) -> bool:
        """Whether the class can be constructed with these arguments, and its parameters initialized."""
        return self._accepted.builds(arguments_)

    def built(self, arguments_: ConstructorArguments) -> Setup:
        """Return a setup of a block built with these arguments. Raises NotRunError if no inputs are found."""
        return self._alone(self._accepted.lines(iter([arguments_])))

    def _alone(self, lines: CandidateScheduler, otherwise: Callable[[], Setup | None] = lambda: None) -> Setup:
        """Return a setup with the first good inputs; after many failed tries, the setup of `otherwise`, if any.

        Raises NotRunError if there is none.
        """
        tries = self._accepted.found(lines)
        first = next(tries)
        if first is None:
            setup = otherwise()
            if setup is not None:
                return setup
        working = filter(None, tries)
        found = first or next(working)
        if self._accepted.given:
            return self._setup(found, self.only(found))
        meant, restrictions = self._meant(found, working)
        return self._setup(meant, (*self.only(meant), *restrictions, *self._numbers_alone(meant)))

    def _numbers_alone(self, found: FoundInputs) -> Iterator[str]:
        """Yield the restrictions of a proof to numbers where the project may as well give arrays to the constructor."""
        cls, built = self.subject.cls, found.arguments
        if self.compiled is None or self._accepted.slow or built.within is not None or built.args:
            return
        axes = sorted({1, axes_of(found.inputs)} - {0})
        for name in numbers_by_guess(cls, built.kwargs, self.subject.constructor.sites.of(cls)):
            arrays = (as_array(built.kwargs[name], count) for count in axes)
            given = (ConstructorArguments([], {**built.kwargs, name: array}) for array in arrays)
            taken = next(filter(None, (self._accepted.taken(one, found.inputs) for one in given)), None)
            if taken is not None and self._accepted.refusal(taken) is not None:
                yield numbers_alone(name)

    def _meant(self, found: FoundInputs, working: Iterator[FoundInputs]) -> tuple[FoundInputs, list[str]]:
        """Return the guessed inputs that the code is probably meant for, and what a proof on them must state.

        Raises NotRunError if the code leaves open what it is meant for, and the compiled run depends on that.
        """
        taken, refused = self._accepted.taken, self._accepted.refusal
        # What the choice passes over may be meant all the same.
        seen: list[FoundInputs] = []
        restrictions: list[str] = []
        found = self._unlike(self._choice().chosen(found, _remembered(working, seen)))
        refusal = refused(found)
        channels = self._channels(found)
        single = channels and channels.of_one_channel(found, refusal)
        if single is not None:
            found, refusal, restrictions = single, None, [ONE_CHANNEL]
        fewer_items = without_surplus(found, refusal, taken, refused)
        if fewer_items is not None:
            restrictions += restriction(found, fewer_items)
            found, refusal = fewer_items, None
        kinds = self._kinds(found)
        kind = kinds.open(found, refusal)
        if kind is not None:
            listed = kinds.as_list(found, kind) if refusal is not None and is_plural(kind) else None
            if listed is None:
                raise run_advice.undecided_kind(kind, found.inputs, refusal)
            found, refusal = listed, None
        if refusal is not None:
            attempt = Attempt(found.inputs, refusal)
            if self._by_chance(found, refusal):
                raise run_advice.by_chance(self.subject.world, self.subject.cls, found.arguments, attempt)
            others = itertools.chain(list(seen), working)
            if not self._accepted.slow and with_fewer_axes(found, refusal, others, refused):
                raise run_advice.undecided_axes(self.subject.world, self.subject.cls, found.arguments, attempt)
        open_ = channels and not single and channels.left_open(found, refusal)
        if open_:
            raise run_advice.undecided_error(
                self.subject.world, self.subject.cls, found.arguments, Attempt(found.inputs, open_)
            )
        return found, restrictions

    def _setup(self, found: FoundInputs, only: tuple[str, ...]) -> Setup:
        """Return a setup with these arguments and inputs, and with as many rounds of sizes as the block accepts."""
        accepted = self._accepted
        numbers = accepted.sizes(found.inputs)
        quick = not accepted.given and not accepted.slow
        free = (
            name_free_axes(self.tries, found.arguments, found.inputs, numbers)
            if quick
            else SymbolicSizes(found.inputs, numbers, {})
        )
        fitting = None if accepted.given or not accepted.slow else accepted.fitting
        rounds = Rounds(self.tries, self.subject.batches, fitting, {**shapes.SIZES[1], **free.others})
        inputs, sizes = rounds.of(found.arguments, free.inputs, free.sizes)
        flavours = found.flavours[:1] if found.seconds > SLOW else found.flavours
        return Setup(found.arguments, inputs, sizes, flavours, only)

    def _kinds(self, found: FoundInputs) -> AmbiguousKinds:
        return AmbiguousKinds(self._accepted.shaped(found.arguments), self._accepted.taken, self._accepted.refusal)

    def with_list(self, setup: Setup) -> tuple[str, Setup] | None:
        """Return a setup with a list instead of an array whose items the code takes, and its name.

        None if no list works. The code may be meant for either: `xs[0]` is the first of several arrays, or the first
        row of one.
        """
        if self._accepted.given or setup.arguments.within is not None:
            return None
        found = FoundInputs(setup.arguments, setup.inputs, setup.flavours, 0.0, setup.only)
        name, listed = next(self._kinds(found).subscripted(found), ("", None))
        return None if listed is None else (name, self._setup(listed, listed.only))

    def _by_chance(self, found: FoundInputs, refusal: Failure) -> bool:
        """Whether guessed inputs, which the compiled run rejects with `refusal`, run eagerly only by chance.

        That is so if a size of 1, or sizes that happen to be equal, let shapes fit. An IndexError in the compiled run
        means that the code unpacks a tensor, and that the batch happens to have as many items as the code expects.
        """
        if not of_shapes(refusal):
            return refusal.sentence.startswith("IndexError") and self._accepted.has_one_batch(found)
        if stands_in(found.arguments.kwargs.values()):
            # The outputs of a real network may have other shapes than those of the function that stands in for it.
            return True
        fitting = self._accepted.fitting
        if found.repaired and fitting is not None and fitting.mixes(found.arguments, found.inputs, refusal):
            # Repaired shapes of two inputs may broadcast with each other only by chance.
            return True
        return flatters(found.inputs) or self._accepted.has_one_batch(found)

    def _channels(self, found: FoundInputs) -> AmbiguousChannels | None:
        """Return the test for whether the code leaves open the channels of images; None if the project says it."""
        if (
            spatial_sizes.large(found.inputs)
            or self.compiled is None
            or self.subject.constructor.sites.of(self.subject.cls)
        ):
            return None
        return AmbiguousChannels(
            self.subject.world, self.subject.cls, self._accepted.taken, self._accepted.refusal, self._accepted.sizes
        )

    def fits_one_batch_only(self, found: FoundInputs) -> bool:
        """Whether the compiled run rejects the shapes of inputs that eagerly fit only at one batch size.

        Their other sizes are then equal to that batch size by chance.
        """
        refusal = self._accepted.refusal(found)
        return refusal is not None and of_shapes(refusal) and self._accepted.has_one_batch(found)

    def _unlike(self, found: FoundInputs) -> FoundInputs:
        """Return `found` with different sizes and guessed numbers, if the eager run accepts them."""
        if self._accepted.slow or spatial_sizes.large(found.inputs):
            return found
        apart = SizeDiversifier(self._accepted.taken)
        called = self.subject.constructor.sites.of(self.subject.cls)
        found = apart.above_one(apart.arguments(found, self.subject.cls, called), called)
        return apart.unlike(found, self._accepted.shaped(found.arguments))

    def _choice(self) -> InputChoice:
        fitting = self._accepted.fitting
        return InputChoice(
            refusal=self._accepted.refusal,
            taken=self._accepted.taken,
            natural=lambda found: found.inputs if fitting is None else fitting.natural(found.arguments, found.inputs),
            sizes=self._accepted.sizes,
            first=self._accepted.first,
        )

    def guesses_ranks(self, setup: Setup) -> bool:
        """Whether neither a docstring nor a layer says what the inputs of a setup are, and nobody else does."""
        if self._accepted.given or setup.arguments.within is not None:
            return False
        block = self._accepted.shaped(setup.arguments)
        arrays = [name for name, spec in setup.inputs.items() if tensors([spec])]
        if len(arrays) == 1 and any(True for _ in layer_inputs(block)):
            return False
        return bool(set(arrays) - documented_specs(block, forward_of(block), arrays).keys())

    def only(self, found: FoundInputs) -> tuple[str, ...]:
        """Return the restrictions that a proof on these inputs must state, as texts; empty if there are none.

        Guessed inputs with sizes of 1, or with equal sizes where the eager run needs none, prove nothing about other
        sizes.
        """
        if self._accepted.given:
            return found.only
        restrictions = [*found.only]
        if ones := with_ones(found.inputs):
            restrictions.append(f"sizes of 1 in {ones}")
        fitting = self._accepted.fitting
        unequal = None if fitting is None else fitting.unequal(found.arguments, found.inputs)
        if unequal is not None:
            restrictions.append(f"inputs whose sizes are equal, which eagerly `{unequal}` need not have")
        return tuple(restrictions)


def _remembered(found: Iterator[FoundInputs], seen: list[FoundInputs]) -> Iterator[FoundInputs]:
    for one in found:
        seen.append(one)
        yield one
