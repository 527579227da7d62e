"""The inputs offered for one way to build a block: likely inputs, then repairs of failed ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.inputs import shapes
from hybridlint.proving.child.inputs.block_sizes import owned_sizes
from hybridlint.proving.child.inputs.candidate_queue import repair_inputs
from hybridlint.proving.child.inputs.graph.shape_fitting import Fitting
from hybridlint.proving.child.inputs.missing_optional_inputs import with_optional
from hybridlint.proving.child.inputs.repairs import spatial_sizes
from hybridlint.proving.child.specs.spec import BATCH, Spec

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridlint.proving.child.inputs.candidate_queue import Line

#: Most inputs that are tried because the graph says that their shapes fit each other.
MOST_JOINT = 8
#: Seconds to search for such inputs, over all ways to build the block.
PATIENCE_JOINT = 5.0
#: Inputs that are tried before any are repaired.
PLAIN = 6


class Offers:
    """Offers inputs for each way to build a block.

    `given` says that the user specified the inputs, `batch` is the first batch size. `sizes` returns a number for each
    named size of inputs, `shaped` a block without parameter values, `candidates` the likely inputs.
    """

    def __init__(
        self,
        *,
        given: bool,
        batch: int,
        sizes: Callable[[Mapping[str, Spec]], dict[str, int]],
        shaped: Callable[[ConstructorArguments], Any],
        candidates: Callable[[ConstructorArguments], Iterator[dict[str, Spec]]],
    ) -> None:
        self.given = given
        self.batch = batch
        self.sizes = sizes
        self.shaped = shaped
        self.candidates = candidates
        self.fitting: Fitting | None = None
        #: The time at which the search ends.
        self.until = float("inf")
        #: Candidates that are no repaired versions of other inputs.
        self.plain: set[str] = set()
        #: The inputs offered last whose shapes fit the graph of the block.
        self.fits: dict[str, Spec] | None = None
        #: Whether shapes that fit each other were searched for optional inputs too.
        self._complete = False
        #: Whether large images were postponed once.
        self._waited = False
        #: Sizes of the block's parameters and constructor arguments, keyed by those arguments.
        self._owned: dict[str, list[int]] = {}
        #: Seconds left for shapes that fit each other.
        self._joint = PATIENCE_JOINT

    def line(self, arguments_: ConstructorArguments) -> Line:
        """Yield a few candidate inputs, then repaired versions of those that failed, and so on."""
        seen: set[str] = set()
        candidates = self.candidates(arguments_)
        joint = False
        while True:
            # Likely inputs come before repaired versions of the likeliest one.
            some = list(itertools.islice(candidates, PLAIN))
            if not some:
                return
            failures: list[tuple[dict[str, Spec], Failure]] = []
            for inputs in some:
                if str(inputs) not in seen:
                    seen.add(str(inputs))
                    self.plain.add(str(inputs))
                    failed = yield inputs
                    if failed is not None and not self.given:
                        failures.append((inputs, failed))
            if failures and not joint:
                joint = True
                for inputs in self._jointly(arguments_, failures[0][0]):
                    if str(inputs) not in seen:
                        seen.add(str(inputs))
                        yield inputs
            yield from self._mended(arguments_, failures, seen)

    def _mended(
        self, arguments_: ConstructorArguments, failures: list[tuple[dict[str, Spec], Failure]], seen: set[str]
    ) -> Line:
        """Yield repaired versions of failed inputs; those whose run got furthest come first."""
        if failures and str(arguments_) not in self._owned:
            self._owned[str(arguments_)] = owned_sizes(self.shaped(arguments_), arguments_)
        owned = self._owned.get(str(arguments_), [])
        for inputs, failed in sorted(failures, key=lambda pair: pair[1].rows, reverse=True):
            if now() > self.until:
                return
            fitting = self.fitting.fitted(arguments_, inputs, failed) if self.fitting is not None else None
            if fitting is not None and str(fitting) not in seen:
                seen.add(str(fitting))
                if spatial_sizes.large(fitting) and not self._waited:
                    # The block may accept smaller images if it is built with other arguments.
                    self._waited = True
                    yield None
                self.fits = fitting
                yield fitting
            yield from repair_inputs(inputs, failed, seen, self.sizes, owned=owned)
            if failed.blame.own:
                yield from self._completed(arguments_, inputs, failed)

    def _completed(
        self, arguments_: ConstructorArguments, inputs: dict[str, Spec], failed: Failure
    ) -> Iterator[dict[str, Spec]]:
        """Yield versions of `inputs` with optional inputs, without which the block had no graph."""
        for more in with_optional(self.shaped(arguments_), inputs, failed):
            if not self._complete:
                self._complete = True
                yield from self._jointly(arguments_, more)
            yield more

    def _jointly(self, arguments_: ConstructorArguments, inputs: dict[str, Spec]) -> Iterator[dict[str, Spec]]:
        """Yield a few versions of `inputs` whose shapes fit each other according to the block's graph."""
        if self.fitting is None or self._joint <= 0:
            return
        sizes = {BATCH: self.batch, **shapes.SIZES[0]}
        found = self.fitting.jointly(arguments_, inputs, sizes, now() + self._joint)
        for _ in range(MOST_JOINT):
            begin = now()
            one = next(found, None)
            self._joint -= now() - begin
            if one is None:
                return
            yield one
