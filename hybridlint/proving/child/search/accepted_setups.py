"""Constructor arguments and inputs that the eager run of a class accepts, found by trying them one after another."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child import run_advice
from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.build.declared_setups import given_arguments, given_inputs, gives_inputs
from hybridlint.proving.child.classes import ENTRY
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.errors import Failure, failure
from hybridlint.proving.child.inputs import shapes
from hybridlint.proving.child.inputs.candidate_inputs import Offers
from hybridlint.proving.child.inputs.candidate_queue import CandidateScheduler
from hybridlint.proving.child.inputs.graph.shape_fitting import Fitting
from hybridlint.proving.child.inputs.repairs import spatial_sizes
from hybridlint.proving.child.inputs.source.documented_inputs import sizes_of
from hybridlint.proving.child.inputs.source.unit_axes import with_single_axes
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.runs.runs import PlannedCall, inputs_of
from hybridlint.proving.child.runs.setup import Attempt
from hybridlint.proving.child.search.call_sizes import Rounds
from hybridlint.proving.child.search.chance_sizes import flatters, ones
from hybridlint.proving.child.search.input_choice import FoundInputs
from hybridlint.proving.child.search.recorded import arguments_of
from hybridlint.proving.child.search.search_target import SearchTarget
from hybridlint.proving.child.search.size_diversifier import SizeDiversifier
from hybridlint.proving.child.search.trial_runs import SLOW, TrialRunner
from hybridlint.proving.child.specs import signatures
from hybridlint.proving.child.specs.spec import BATCH, Spec, names
from hybridlint.proving.child.stages import LOOKING, TRIAL, Stage

if TYPE_CHECKING:
    from hybridlint.proving.child.build.constructor_search import ConstructorSearch

#: Seconds for trying guessed inputs, unless the block's time limit is long.
PATIENCE = 10.0
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


class Accepted:
    """Finds arguments and inputs that the eager run of one class accepts, the likeliest first. See `SetupFinder`."""

    def __init__(self, subject: SearchTarget) -> None:
        self.subject = subject
        #: The version of the class, with its world, that is hybridized to see what a compiled run refuses.
        self.compiled: tuple[LoadedModule, Any] | None = None
        self.fitting: Fitting | None = None
        self.tries = TrialRunner(subject.world, subject.cls, subject.path)
        #: Whether a run takes long.
        self.slow = False
        #: The time at which the search ends.
        self.until = float("inf")
        self.patience = PATIENCE
        self._search: ConstructorSearch | None = None
        self.offers = Offers(
            given=self.given,
            batch=subject.batches[0],
            sizes=self.sizes,
            shaped=self.shaped,
            candidates=self.candidates,
        )

    def begin(self, compiled: tuple[LoadedModule, Any] | None) -> None:
        """Begin the search; with a version of the class that is `compiled`, its graph tells which shapes fit."""
        self.compiled = compiled
        if compiled is not None:
            self.fitting = Fitting(
                *compiled, self.subject.path, sizes=self.sizes, report_stage=self.subject.report_stage
            )
            self.offers.fitting = self.fitting

    def end_at(self, until: float, patience: float) -> None:
        """Set the time at which the search ends, and the seconds for tries of guessed inputs."""
        self.until = self.offers.until = until
        self.patience = max(PATIENCE, patience)

    def lines(self, arguments_: Iterator[ConstructorArguments]) -> CandidateScheduler:
        """Return the lines of inputs to try for these constructor arguments."""
        return CandidateScheduler(arguments_, self.offers.line)

    def builds(self, arguments_: ConstructorArguments) -> bool:
        """Whether the class can be constructed with these arguments, and its parameters initialized."""
        try:
            self.subject.built(arguments_)
        except Exception:
            return False
        return True

    def first(self, arguments_: ConstructorArguments) -> FoundInputs | None:
        """Return the first inputs that a block built with these arguments accepts; None if the first few tries fail."""
        if not self.builds(arguments_):
            return None
        return next(self.found(self.lines(iter([arguments_])), MOST_LARGER), None)

    def constructions(self, *, keys: bool = False) -> Iterator[ConstructorArguments]:
        """Yield arguments that the constructor accepts: specified, or guesses. Raises NotRunError if none work."""
        given = given_arguments(self.subject.world, self.subject.cls, self.subject.path, self.subject.recipe)
        yield from self._guessed(keys) if given is None else [given]

    def _guessed(self, keys: bool) -> Iterator[ConstructorArguments]:
        self._search = self.subject.constructor.search(self.subject.cls, keys=keys)
        works = 0
        first: Failure | None = None
        recorded = filter(None, map(arguments_of, self.subject.recorded))
        for guess in itertools.chain(recorded, self._search.working(min(now() + self.patience, self.until))):
            try:
                self.subject.built(guess)
            except Exception as error:
                first = first or failure(error, self.subject.path)
                self._search.report(guess, failure(error, self.subject.path))
                continue
            works += 1
            yield guess
        if not works:
            # Report a failed construction rather than a failed initialization.
            first = self._search.first or first or Failure("there are no arguments to try", None)
            raise run_advice.not_constructed(self.subject.cls, first)

    def found(self, lines: CandidateScheduler, most: int | None = None) -> Iterator[FoundInputs | None]:
        """Yield inputs that the eager run accepts; those that may hide differences come last.

        None is yielded once if the first `MANY` tries fail. Raises NotRunError if none work. With `most` the search
        ends after that many tries, and may yield nothing.
        """
        attempts: list[Attempt] = []
        poor: list[FoundInputs] = []
        deadline = min(now() + self.patience, self.until)
        count = good = 0
        for arguments_, inputs in lines:
            late = now() > deadline and inputs is not self.offers.fits
            if (late and (attempts or poor or good)) or count == most:
                break
            count += 1
            tried = self._try(arguments_, inputs, self.sizes(inputs))
            if isinstance(tried, Failure):
                attempts.append(Attempt(inputs, tried))
                lines.report(tried)
                if self._search is not None and lines.failed <= MOST_REPORTED:
                    self._search.report(arguments_, tried)
                if len(attempts) == count == MANY:
                    yield None
                continue
            found = FoundInputs(arguments_, self._marked(inputs), *tried, repaired=str(inputs) not in self.offers.plain)
            found = found if self.given else SizeDiversifier(self.taken).without_ones(found)
            absurd = found.repaired and spatial_sizes.large(found.inputs)
            if self.given or not (absurd or flatters(found.inputs) or self._one_batch(found)):
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
        if self.given and attempts:
            raise run_advice.given_fail(attempts[0])
        raise run_advice.no_inputs(self.subject.world, self.subject.cls, lines.built[0], attempts)

    def _marked(self, inputs: dict[str, Spec]) -> dict[str, Spec]:
        """Return the inputs with what the forward pass says of sizes of 1."""
        return inputs if self.given else with_single_axes(inputs, getattr(self.subject.cls, ENTRY, None))

    def _likelier(self, poor: FoundInputs) -> bool:
        """Whether inputs that may hide differences are likelier than any that were repaired."""
        if self.fitting is not None and str(poor.inputs) in self.fitting.equal:
            return not ones(poor.inputs)
        return not poor.repaired and not flatters(poor.inputs)

    def _one_batch(self, found: FoundInputs) -> bool:
        """Whether inputs work with one batch size only; False, without a run, for a block whose runs take long."""
        return not self.slow and self.has_one_batch(found)

    def has_one_batch(self, found: FoundInputs) -> bool:
        """Whether the eager run accepts inputs with one batch size only."""
        sizes = self.sizes(found.inputs)
        if BATCH not in sizes:
            return False
        return not Rounds(self.tries, self.subject.batches).other_batch(found.arguments, found.inputs, sizes)

    def taken(self, arguments_: ConstructorArguments, inputs: dict[str, Spec]) -> FoundInputs | None:
        """Return these arguments and inputs as found if the eager run accepts them, None otherwise."""
        tried = self._try(arguments_, inputs, self.sizes(inputs))
        return None if isinstance(tried, Failure) else FoundInputs(arguments_, inputs, *tried)

    @property
    def given(self) -> bool:
        """Whether the user specified the inputs, so that none are guessed."""
        return gives_inputs(self.subject.recipe)

    def shaped(self, arguments_: ConstructorArguments) -> Any:
        """Return a block built with these arguments; its parameters are not initialized."""
        return self.subject.built(arguments_, initialize=False)

    def refusal(self, found: FoundInputs) -> Failure | None:
        """Return the failure of the compiled run on inputs, None if it accepts them."""
        if self.compiled is None:
            return None
        world, cls = self.compiled
        if self.slow and self.fitting is not None and self.fitting.compiles(found.arguments, found.inputs):
            # The block runs eagerly, and its graph accepts the same shapes, so it is not run again for this check.
            return self.fitting.refusal(found.arguments, found.inputs)
        self.subject.report_stage(Stage("trying inputs compiled", optional=TRIAL))
        call = PlannedCall(tuple(self.sizes(found.inputs).items()), 0, "predict")
        try:
            block = build(world, cls, *found.arguments)
            block.hybridize()
            block(*inputs_of(world, found.inputs, call))
        except Exception as error:
            return failure(error, self.subject.path)
        finally:
            self.subject.report_stage(LOOKING)
        return None

    def candidates(self, arguments_: ConstructorArguments) -> Iterator[dict[str, Spec]]:
        """Yield inputs to try with these arguments: those that the user specified, or guesses."""
        block = self.subject.built(arguments_)
        given = given_inputs(self.subject.recipe, signatures.signature(block))
        yield from shapes.candidates(block) if given is None else [given]

    def _try(
        self,
        arguments_: ConstructorArguments,
        inputs: Mapping[str, Spec],
        sizes: Mapping[str, int],
        earlier: Mapping[str, int] | None = None,
    ) -> Failure | tuple[list[int], float]:
        if self.slow and self.fitting is not None and not self.given:
            # Inputs that fit the graph are run, however long that takes.
            unfit = self.fitting.failure(arguments_, inputs, sizes)
            if unfit is not None:
                return unfit
        if not self.given and spatial_sizes.elements(inputs, sizes) > MOST_ELEMENTS:
            return Failure("the inputs would be too large", None)
        begin = now()
        tried = self.tries.run(arguments_, inputs, sizes, earlier)
        self.slow = self.slow or now() - begin > SLOW
        return tried

    def sizes(self, inputs: Mapping[str, Spec]) -> dict[str, int]:
        """Return the numbers that the named sizes of inputs have in the first round."""
        return sizes_of(names(list(inputs.values())), {BATCH: self.subject.batches[0], **shapes.SIZES[0]})
