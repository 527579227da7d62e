"""The search for constructor arguments and forward inputs with which the original block runs eagerly."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child import advice
from hybridlint.proving.child.build.arguments import Arguments
from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.build.given import given_arguments, given_inputs, gives_inputs
from hybridlint.proving.child.build.values.choices import choices
from hybridlint.proving.child.build.values.held import stands_in
from hybridlint.proving.child.classes import ENTRY
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.errors import Failure, NotRunError, failure
from hybridlint.proving.child.inputs import shapes
from hybridlint.proving.child.inputs.graph.fitting import Fitting
from hybridlint.proving.child.inputs.lines import Lines
from hybridlint.proving.child.inputs.offers import Offers
from hybridlint.proving.child.inputs.repairs import spatial
from hybridlint.proving.child.inputs.source.documented_inputs import sizes_of
from hybridlint.proving.child.inputs.source.single import with_single_axes
from hybridlint.proving.child.runs.runs import Call, inputs_of
from hybridlint.proving.child.runs.setup import Attempt, Setup
from hybridlint.proving.child.search.apart import Apart
from hybridlint.proving.child.search.enclosing import Enclosing
from hybridlint.proving.child.search.freed import Freed, freed
from hybridlint.proving.child.search.input_choice import Choice, Found, of_shapes
from hybridlint.proving.child.search.realism import flatters, ones, with_ones
from hybridlint.proving.child.search.recorded import arguments_of, inputs_of_record, rounds_of
from hybridlint.proving.child.search.rounds import Rounds
from hybridlint.proving.child.search.surplus import restriction, without_surplus
from hybridlint.proving.child.search.tries import SLOW, Tries
from hybridlint.proving.child.search.undecided import ONE_CHANNEL, Undecided
from hybridlint.proving.child.search.undecided_axes import with_fewer_axes
from hybridlint.proving.child.search.undecided_kinds import Kinds
from hybridlint.proving.child.specs import signatures
from hybridlint.proving.child.specs.spec import BATCH, Spec, names
from hybridlint.proving.child.stages import LOOKING, TRIAL, Stage
from hybridlint.proving.child.world import World

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridlint.proving.child.build.constructing import Constructor, Search

#: Seconds for trying guessed inputs, unless the block's time limit is long.
PATIENCE = 10.0
#: Fractions of a block's time limit after which the search on the block alone, and that in larger blocks, end.
ALONE, ENCLOSED = 0.45, 0.7
#: Failed tries after which the larger blocks that hold the block are asked first: hardly any block takes more.
MANY = 120
#: Most failures of inputs in one turn that are reported to the search for constructor arguments.
MOST_REPORTED = 6
#: Seconds to search for better inputs, if the accepted ones may hide differences.
PATIENCE_FOR_BETTER = 3.0
#: Most ways to build a block with larger arguments that are tried.
MOST_LARGER = 12
#: Most elements of guessed inputs, of a batch of the largest usual images.
MOST_ELEMENTS = 3_000_000


class Finder:
    """Finds a setup (constructor arguments, inputs and sizes) for one class.

    `recipe` is what the user specified in a directive or the settings, `recorded` are calls recorded in a real run.
    `batches` are the batch sizes of the rounds. `report_stage` is called with each stage before it begins.

    Guessed inputs must be accepted by the eager run. `compiled`, a version of the class with its world, is hybridized
    only to decide between equally likely inputs.
    """

    def __init__(
        self,
        world: World,
        cls: Any,
        path: str,
        *,
        recipe: Mapping[str, Any],
        recorded: Sequence[Mapping[str, Any]] = (),
        batches: Sequence[int],
        report_stage: Callable[[Stage], None],
        constructor: Constructor,
    ) -> None:
        self.world = world
        self.cls = cls
        self.path = path
        self.recipe = recipe
        self.batches = batches
        self.report_stage = report_stage
        self.compiled: tuple[World, Any] | None = (world, cls)
        self.enclosing = Enclosing(self)
        self._fitting: Fitting | None = None
        self.recorded = recorded
        self.tries = Tries(world, cls, path)
        self.constructor = constructor
        self._search: Search | None = None
        #: Whether a run takes long.
        self._slow = False
        #: Times at which the search on the block alone ends, and at which the search in larger blocks ends.
        self._until_alone = self._until_enclosed = float("inf")
        self._patience = PATIENCE
        self._offers = Offers(
            given=self._given,
            batch=batches[0],
            sizes=self._first_sizes,
            shaped=self._shaped,
            candidates=self._candidates,
        )

    def until(self, start: float, limit: float) -> None:
        """Set the deadlines: work on the block began at the time `start` and may take `limit` seconds.

        The search uses only a part of them, so that time is left for the runs of the proof.
        """
        self._until_alone, self._until_enclosed = start + ALONE * limit, start + ENCLOSED * limit
        self._offers.until = self._until_alone
        self._patience = max(PATIENCE, ALONE * limit)

    def find(self) -> Setup:
        """Return the first setup that works. Raises NotRunError if there is none."""
        self.report_stage(LOOKING)
        if self.compiled is not None:
            world, cls = self.compiled
            self._fitting = Fitting(world, cls, self.path, sizes=self._first_sizes, report_stage=self.report_stage)
            self._offers.fitting = self._fitting
        setup = self._recorded()
        if setup is not None:
            return setup
        self.tries.trains = not self._given
        try:
            return self._alone(Lines(self._constructions(), self._offers.line), self.enclosing.first)
        except NotRunError:
            setup = self.enclosing.first()
            if setup is not None:
                return setup
            if self._given or choices(self.cls) == choices(self.cls, keys=True):
                raise
        return self._alone(Lines(self._constructions(keys=True), self._offers.line))

    def _recorded(self) -> Setup | None:
        """Return the first recorded setup that works here; None if none does, or if the user specified one."""
        for call in () if self.recipe else self.recorded:
            arguments_, inputs = arguments_of(call), inputs_of_record(call)
            if arguments_ is not None and inputs is not None:
                setup = self.tries.setup(arguments_, inputs, rounds_of(call, self.batches))
                if not isinstance(setup, Failure):
                    return setup
        return None

    def until_enclosed(self) -> float:
        """Return the time at which a search in larger blocks ends if it begins now."""
        return min(now() + self._patience, self._until_enclosed)

    def builds(self, arguments_: Arguments) -> bool:
        """Whether the class can be constructed with these arguments, and its parameters initialized."""
        try:
            build(self.world, self.cls, *arguments_)
        except Exception:
            return False
        return True

    def built(self, arguments_: Arguments) -> Setup:
        """Return a setup of a block built with these arguments. Raises NotRunError if no inputs are found."""
        return self._alone(Lines(iter([arguments_]), self._offers.line))

    def _alone(self, lines: Lines, otherwise: Callable[[], Setup | None] = lambda: None) -> Setup:
        """Return a setup with the first good inputs; if many tries fail, that of `otherwise`, where it returns one.

        Raises NotRunError if there is none.
        """
        tries = self._tries(lines)
        first = next(tries)
        if first is None:
            setup = otherwise()
            if setup is not None:
                return setup
        working = filter(None, tries)
        seen: list[Found] = []
        found = first or next(working)
        more_only: list[str] = []
        if not self._given:
            # What the choice passes over may be meant all the same.
            found = self._unlike(self._choice().chosen(found, _remembered(working, seen)))
            refusal = self._refusal(found)
            channels = self._channels(found)
            single = channels and channels.of_one_channel(found, refusal)
            if single is not None:
                found, refusal, more_only = single, None, [ONE_CHANNEL]
            fewer_items = without_surplus(found, refusal, self._taken, self._refusal)
            if fewer_items is not None:
                more_only += restriction(found, fewer_items)
                found, refusal = fewer_items, None
            kind = Kinds(self._shaped(found.arguments), self._taken, self._refusal).open(found, refusal)
            if kind is not None:
                raise advice.undecided_kind(kind, found.inputs, refusal)
            if refusal is not None and self._by_chance(found, refusal):
                raise advice.by_chance(self.world, self.cls, found.arguments, Attempt(found.inputs, refusal))
            others = itertools.chain(list(seen), working)
            fewer = refusal is not None and not self._slow and with_fewer_axes(found, refusal, others, self._refusal)
            if refusal is not None and fewer:
                raise advice.undecided_axes(self.world, self.cls, found.arguments, Attempt(found.inputs, refusal))
            open_ = channels and not single and channels.left_open(found, refusal)
            if open_:
                raise advice.undecided(self.world, self.cls, found.arguments, Attempt(found.inputs, open_))
        arguments_, inputs = found.arguments, found.inputs
        only = (*self.only(found), *more_only)
        numbers = self._first_sizes(inputs)
        quick = not self._given and not self._slow
        free = freed(self.tries, arguments_, inputs, numbers) if quick else Freed(inputs, numbers, {})
        fitting = None if self._given or not self._slow else self._fitting
        rounds = Rounds(self.tries, self.batches, fitting, {**shapes.SIZES[1], **free.others})
        inputs, sizes = rounds.of(arguments_, free.inputs, free.sizes)
        flavours = found.flavours[:1] if found.seconds > SLOW else found.flavours
        return Setup(arguments_, inputs, sizes, flavours, only)

    def _by_chance(self, found: Found, refusal: Failure) -> bool:
        """Whether guessed inputs, which the compiled run rejects with `refusal`, run eagerly only by chance.

        That is so if a size of 1, or sizes that happen to be equal, let shapes fit. An IndexError in the compiled run
        means that the code unpacks a tensor, and that the batch happens to have as many items as the code expects.
        """
        if not of_shapes(refusal):
            return refusal.sentence.startswith("IndexError") and self._has_one_batch(found)
        if stands_in(found.arguments.kwargs.values()):
            # The outputs of a real network may have other shapes than those of the function that stands in for it.
            return True
        if found.repaired and self._fitting is not None and self._fitting.mixes(found.arguments, found.inputs, refusal):
            # Repaired shapes of two inputs may broadcast with each other only by chance.
            return True
        return flatters(found.inputs) or self._has_one_batch(found)

    def _channels(self, found: Found) -> Undecided | None:
        """Return what tells whether the code leaves open how many channels images have; None if the project says it."""
        if spatial.large(found.inputs) or self.compiled is None or self.constructor.sites.of(self.cls):
            return None
        return Undecided(self.world, self.cls, self._taken, self._refusal, self._first_sizes)

    def fits_one_batch_only(self, found: Found) -> bool:
        """Whether the compiled run rejects the shapes of inputs that eagerly fit only at one batch size.

        Their other sizes are then equal to that batch size by chance.
        """
        refusal = self._refusal(found)
        return refusal is not None and of_shapes(refusal) and self._has_one_batch(found)

    def _choice(self) -> Choice:
        fitting = self._fitting
        return Choice(
            refusal=self._refusal,
            taken=self._taken,
            natural=lambda found: found.inputs if fitting is None else fitting.natural(found.arguments, found.inputs),
            sizes=self._first_sizes,
            first=self._first,
        )

    def _first(self, arguments_: Arguments) -> Found | None:
        """Return the first inputs that a block built with these arguments accepts; None if the first few tries fail."""
        if not self.builds(arguments_):
            return None
        return next(self._tries(Lines(iter([arguments_]), self._offers.line), MOST_LARGER), None)

    def only(self, found: Found) -> tuple[str, ...]:
        """Return the restrictions that a proof on these inputs must state, as texts; empty if there are none.

        Guessed inputs with sizes of 1, or with equal sizes where the eager run needs none, prove nothing about other
        sizes.
        """
        if self._given:
            return found.only
        restrictions = [*found.only]
        if ones := with_ones(found.inputs):
            restrictions.append(f"sizes of 1 in {ones}")
        unequal = None if self._fitting is None else self._fitting.unequal(found.arguments, found.inputs)
        if unequal is not None:
            restrictions.append(f"inputs whose sizes are equal, which eagerly `{unequal}` need not have")
        return tuple(restrictions)

    # -- constructing

    def _constructions(self, *, keys: bool = False) -> Iterator[Arguments]:
        """Yield arguments that the constructor accepts: specified, or guesses. Raises NotRunError if none work."""
        given = given_arguments(self.world, self.cls, self.path, self.recipe)
        yield from self._guessed(keys) if given is None else [given]

    def _guessed(self, keys: bool) -> Iterator[Arguments]:
        self._search = self.constructor.search(self.cls, keys=keys)
        works = 0
        first: Failure | None = None
        recorded = filter(None, map(arguments_of, self.recorded))
        for guess in itertools.chain(recorded, self._search.working(min(now() + self._patience, self._until_alone))):
            try:
                build(self.world, self.cls, *guess)
            except Exception as error:
                first = first or failure(error, self.path)
                self._search.report(guess, failure(error, self.path))
                continue
            works += 1
            yield guess
        if not works:
            # Report a failed construction rather than a failed initialization.
            first = self._search.first or first or Failure("there are no arguments to try", None)
            raise advice.not_constructed(self.cls, first)

    # -- inputs

    def _tries(self, lines: Lines, most: int | None = None) -> Iterator[Found | None]:
        """Yield inputs that the eager run accepts; those that may hide differences come last.

        None is yielded once if the first `MANY` tries fail. Raises NotRunError if none work. With `most` the search
        ends after that many tries, and may yield nothing.
        """
        attempts: list[Attempt] = []
        poor: list[Found] = []
        deadline = min(now() + self._patience, self._until_alone)
        count = good = 0
        for arguments_, inputs in lines:
            late = now() > deadline and inputs is not self._offers.fits
            if (late and (attempts or poor or good)) or count == most:
                break
            count += 1
            tried = self._try(arguments_, inputs, self._first_sizes(inputs))
            if isinstance(tried, Failure):
                attempts.append(Attempt(inputs, tried))
                lines.report(tried)
                if self._search is not None and lines.failed <= MOST_REPORTED:
                    self._search.report(arguments_, tried)
                if len(attempts) == count == MANY:
                    yield None
                continue
            found = Found(arguments_, self._marked(inputs), *tried, repaired=str(inputs) not in self._offers.plain)
            found = found if self._given else Apart(self._taken).without_ones(found)
            absurd = found.repaired and spatial.large(found.inputs)
            if self._given or not (absurd or flatters(found.inputs) or self._one_batch(found)):
                good += 1
                if found.repaired:
                    # A block built for one batch size is likelier than the shapes of repaired inputs.
                    yield from filter(self._likelier, poor)
                yield found
                continue
            poor.append(found)
            deadline = min(deadline, now() + PATIENCE_FOR_BETTER)
        yield from poor
        if poor or good or most is not None:
            return
        if self._given and attempts:
            raise advice.given_fail(attempts[0])
        raise advice.no_inputs(self.world, self.cls, lines.built[0], attempts)

    def _marked(self, inputs: dict[str, Spec]) -> dict[str, Spec]:
        """Return the inputs with what the forward pass says of sizes of 1."""
        return inputs if self._given else with_single_axes(inputs, getattr(self.cls, ENTRY, None))

    def _likelier(self, poor: Found) -> bool:
        """Whether inputs that may hide differences are likelier than any that were repaired."""
        if self._fitting is not None and str(poor.inputs) in self._fitting.equal:
            return not ones(poor.inputs)
        return not poor.repaired and not flatters(poor.inputs)

    def _one_batch(self, found: Found) -> bool:
        """Whether inputs work with one batch size only; False, without a run, for a block whose runs take long."""
        return not self._slow and self._has_one_batch(found)

    def _has_one_batch(self, found: Found) -> bool:
        sizes = self._first_sizes(found.inputs)
        if BATCH not in sizes:
            return False
        return not Rounds(self.tries, self.batches).other_batch(found.arguments, found.inputs, sizes)

    def _taken(self, arguments_: Arguments, inputs: dict[str, Spec]) -> Found | None:
        tried = self._try(arguments_, inputs, self._first_sizes(inputs))
        return None if isinstance(tried, Failure) else Found(arguments_, inputs, *tried)

    def _unlike(self, found: Found) -> Found:
        """Return `found` with sizes and guessed numbers that differ, as far as the eager run accepts them."""
        if self._slow or spatial.large(found.inputs):
            return found
        apart = Apart(self._taken)
        called = self.constructor.sites.of(self.cls)
        found = apart.above_one(apart.arguments(found, self.cls, called), called)
        return apart.unlike(found, self._shaped(found.arguments))

    @property
    def _given(self) -> bool:
        return gives_inputs(self.recipe)

    def _shaped(self, arguments_: Arguments) -> Any:
        """Return a block built with these arguments; its parameters are not initialized."""
        return build(self.world, self.cls, *arguments_, initialize=False)

    def _refusal(self, found: Found) -> Failure | None:
        """Return the failure of the compiled run on inputs, None if it accepts them."""
        if self.compiled is None:
            return None
        world, cls = self.compiled
        if self._slow and self._fitting is not None and self._fitting.compiles(found.arguments, found.inputs):
            # The block runs eagerly, and its graph accepts the same shapes, so it is not run again for this check.
            return self._fitting.refusal(found.arguments, found.inputs)
        self.report_stage(Stage("trying inputs compiled", optional=TRIAL))
        call = Call(tuple(self._first_sizes(found.inputs).items()), 0, "predict")
        try:
            block = build(world, cls, *found.arguments)
            block.hybridize()
            block(*inputs_of(world, found.inputs, call))
        except Exception as error:
            return failure(error, self.path)
        finally:
            self.report_stage(LOOKING)
        return None

    def _candidates(self, arguments_: Arguments) -> Iterator[dict[str, Spec]]:
        block = build(self.world, self.cls, *arguments_)
        given = given_inputs(self.recipe, signatures.signature(block))
        yield from shapes.candidates(block) if given is None else [given]

    def _try(
        self,
        arguments_: Arguments,
        inputs: Mapping[str, Spec],
        sizes: Mapping[str, int],
        earlier: Mapping[str, int] | None = None,
    ) -> Failure | tuple[list[int], float]:
        if self._slow and self._fitting is not None and not self._given:
            # Inputs that fit the graph are run, however long that takes.
            unfit = self._fitting.failure(arguments_, inputs, sizes)
            if unfit is not None:
                return unfit
        if not self._given and spatial.elements(inputs, sizes) > MOST_ELEMENTS:
            return Failure("the inputs would be too large", None)
        begin = now()
        tried = self.tries.run(arguments_, inputs, sizes, earlier)
        self._slow = self._slow or now() - begin > SLOW
        return tried

    def _first_sizes(self, inputs: Mapping[str, Spec]) -> dict[str, int]:
        return sizes_of(names(list(inputs.values())), {BATCH: self.batches[0], **shapes.SIZES[0]})


def _remembered(found: Iterator[Found], seen: list[Found]) -> Iterator[Found]:
    for one in found:
        seen.append(one)
        yield one
