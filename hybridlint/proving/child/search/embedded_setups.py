"""Setups of a block taken from larger blocks of its module that contain it.

A larger block shows the arguments and inputs that the block gets. Some blocks can only be built inside a larger one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.errors import Failure, NotRunError
from hybridlint.proving.child.runs.setup import Setup
from hybridlint.proving.child.search.chance_sizes import without_ones
from hybridlint.proving.child.search.input_choice import FoundInputs
from hybridlint.proving.child.specs import signatures
from hybridlint.proving.child.specs.spec import BATCH
from hybridlint.proving.child.stages import LOOKING, SURROUNDINGS, Stage

if TYPE_CHECKING:
    from hybridlint.proving.child.search.parent_blocks import ParentBlocks
    from hybridlint.proving.child.search.search_target import SearchTarget
    from hybridlint.proving.child.search.trial_runs import TrialRunner
    from hybridlint.proving.child.specs.seen_inputs import SeenInputs


class SetupSearch(Protocol):
    """The part of the search for a block's setup that `EmbeddedSetups` uses."""

    subject: SearchTarget
    tries: TrialRunner

    def until_enclosed(self) -> float:
        """Return the time at which a search in larger blocks ends if it begins now."""

    def builds(self, arguments_: ConstructorArguments) -> bool:
        """Whether the class can be constructed with these arguments, and its parameters initialized."""

    def built(self, arguments_: ConstructorArguments) -> Setup:
        """Return a setup of a block built with these arguments. Raises NotRunError if no inputs are found."""

    def fits_one_batch_only(self, found: FoundInputs) -> bool:
        """Whether the compiled run rejects the shapes of inputs that eagerly fit only at one batch size."""

    def only(self, found: FoundInputs) -> tuple[str, ...]:
        """Return the restrictions that a proof on these inputs must state, as texts."""


class EmbeddedSetups:
    """Setups of the block of a search (`finder`), taken from the larger blocks in `surroundings`.

    There are none if the user specified the setup, or while `surroundings` is None.
    """

    def __init__(self, finder: SetupSearch) -> None:
        self.finder = finder
        self.surroundings: ParentBlocks | None = None
        #: Whether the larger blocks were asked for a setup already.
        self._asked = False

    def first(self) -> Setup | None:
        """Return the first setup, taken from a larger block, that works; None if there is none in time.

        A second call returns None.
        """
        finder, asked, self._asked = self.finder, self._asked, self.surroundings is not None
        if asked:
            return None
        if self.surroundings is None or finder.subject.recipe:
            return None
        finder.subject.report_stage(Stage("looking at the blocks that hold it", optional=SURROUNDINGS))
        deadline = finder.until_enclosed()
        for arguments_, seen in self.surroundings.of(finder.subject.cls):
            if now() > deadline:
                break
            setup = None if seen is None else self._as_seen(arguments_, seen)
            if setup is None and (seen is None or arguments_.within is None):
                setup = self._unseen(arguments_)
            if setup is not None:
                finder.subject.report_stage(LOOKING)
                return setup
        finder.subject.report_stage(LOOKING)
        return None

    def larger_blocks(self) -> Iterator[tuple[Setup, bool]]:
        """Yield (setup, alone) for each larger block that contains the block and runs.

        The setup is that of the larger block; `alone` is True if it contains no other hybrid block of the module.
        """
        if self.surroundings is None or self.finder.subject.recipe:
            return
        deadline = self.finder.until_enclosed()
        for larger, alone in self.surroundings.larger_blocks(self.finder.subject.cls):
            if now() > deadline:
                return
            setup = self._unseen(ConstructorArguments([], {}, larger))
            if setup is not None:
                yield setup, alone

    def _unseen(self, arguments_: ConstructorArguments) -> Setup | None:
        if not self.finder.builds(arguments_):
            return None
        try:
            return self.finder.built(arguments_)
        except NotRunError:
            return None

    def _as_seen(self, arguments_: ConstructorArguments, seen: SeenInputs) -> Setup | None:
        """Return a setup with inputs like those in a larger block; None if the block does not run on them."""
        finder = self.finder
        try:
            takes = signatures.signature(finder.subject.built(arguments_))
        except Exception:
            return None
        order = [*takes.required, *takes.optional]
        inputs = {order[k] if k < len(order) else f"input {k}": spec for k, spec in enumerate(seen.inputs)}
        first, *others = seen.rounds
        rounds = [[first], *([second, {**first, BATCH: second.get(BATCH, 0)}] for second in others)]
        for realistic in (*without_ones(inputs), inputs):
            setup = finder.tries.setup(arguments_, realistic, rounds)
            found = FoundInputs(arguments_, realistic, [], 0.0)
            if not isinstance(setup, Failure) and not finder.fits_one_batch_only(found):
                return setup._replace(only=finder.only(found))
        return None
