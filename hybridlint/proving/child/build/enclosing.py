"""Setups of a block taken from larger blocks of its module.

A larger block shows how the block is built and called, or the block runs only inside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

from hybridlint.proving.child.build.arguments import Arguments
from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.compare.meant import Found
from hybridlint.proving.child.compare.realism import without_ones
from hybridlint.proving.child.errors import Failure, NotRunError
from hybridlint.proving.child.inputs import shapes
from hybridlint.proving.child.inputs.specs import BATCH
from hybridlint.proving.child.runs.setup import Setup
from hybridlint.proving.child.stages import LOOKING, SURROUNDINGS, Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hybridlint.proving.child.build.surroundings import Surroundings
    from hybridlint.proving.child.inputs.seen_inputs import Sighting
    from hybridlint.proving.child.inputs.specs import World
    from hybridlint.proving.child.inputs.tries import Tries


class Search(Protocol):
    """The search for a setup of one block, as far as larger blocks need it."""

    world: World
    cls: Any
    recipe: Mapping[str, Any]
    tries: Tries
    say: Callable[[Stage], None]

    def until_enclosed(self) -> float:
        """Return the time at which a search in larger blocks ends if it begins now."""

    def builds(self, arguments_: Arguments) -> bool:
        """Whether these arguments build a block whose parameters have values."""

    def built(self, arguments_: Arguments) -> Setup:
        """Return a setup of a block built with these arguments. Raises NotRunError if no inputs are found."""

    def only(self, found: Found) -> tuple[str, ...]:
        """Return the restrictions of a proof on these inputs."""


class Enclosing:
    """Setups of a search's block, taken from its `surroundings`. There are none if the user specified the setup."""

    def __init__(self, finder: Search) -> None:
        self.finder = finder
        self.surroundings: Surroundings | None = None

    def first(self) -> Setup | None:
        """Return the first setup that a larger block of the module shows, None if none does."""
        finder = self.finder
        if self.surroundings is None or finder.recipe:
            return None
        finder.say(Stage("looking at the blocks that hold it", optional=SURROUNDINGS))
        deadline = finder.until_enclosed()
        for arguments_, seen in self.surroundings.of(finder.cls):
            if now() > deadline:
                break
            setup = None if seen is None else self._sighted(arguments_, seen)
            if setup is None and (seen is None or arguments_.within is None):
                setup = self._unseen(arguments_)
            if setup is not None:
                finder.say(LOOKING)
                return setup
        finder.say(LOOKING)
        return None

    def wholes(self) -> Iterator[tuple[Setup, bool]]:
        """Yield setups of the module's larger blocks that contain the block.

        Each comes with a flag that is True if no other hybrid block of the module is in it.
        """
        if self.surroundings is None or self.finder.recipe:
            return
        deadline = self.finder.until_enclosed()
        for whole, alone in self.surroundings.wholes(self.finder.cls):
            if now() > deadline:
                return
            setup = self._unseen(Arguments([], {}, whole))
            if setup is not None:
                yield setup, alone

    def _unseen(self, arguments_: Arguments) -> Setup | None:
        if not self.finder.builds(arguments_):
            return None
        try:
            return self.finder.built(arguments_)
        except NotRunError:
            return None

    def _sighted(self, arguments_: Arguments, seen: Sighting) -> Setup | None:
        """Return a setup with inputs seen in a larger block, None if they cannot be made again."""
        finder = self.finder
        try:
            takes = shapes.signature(build(finder.world, finder.cls, *arguments_))
        except Exception:
            return None
        order = [*takes.required, *takes.optional]
        inputs = {order[k] if k < len(order) else f"input {k}": spec for k, spec in enumerate(seen.inputs)}
        first, *others = seen.rounds
        rounds = [[first], *([second, {**first, BATCH: second.get(BATCH, 0)}] for second in others)]
        for realistic in (*without_ones(inputs), inputs):
            setup = finder.tries.setup(arguments_, realistic, rounds)
            if not isinstance(setup, Failure):
                return setup._replace(only=finder.only(Found(arguments_, realistic, [], 0.0)))
        return None
