"""The sizes of each round of calls: other batch sizes, and other numbers for the named sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.inputs import shapes
from hybridlint.proving.child.search.trial_runs import TrialRunner
from hybridlint.proving.child.specs.spec import BATCH, Spec, tensors, with_batch

if TYPE_CHECKING:
    from hybridlint.proving.child.inputs.graph.shape_fitting import Fitting


class Rounds(NamedTuple):
    """Finds sizes for further rounds that a block accepts: by trial runs, or by the graph if `fitting` is given.

    `fitting` is given for blocks whose runs take long. `seconds` has the numbers of named sizes in the second round.
    """

    tries: TrialRunner
    batches: Sequence[int]
    fitting: Fitting | None = None
    seconds: Mapping[str, int] = shapes.SIZES[1]

    def of(
        self, arguments: ConstructorArguments, inputs: dict[str, Spec], sizes: dict[str, int]
    ) -> tuple[dict[str, Spec], list[dict[str, int]]]:
        """Return the inputs, with a named batch if no size is named, and the sizes in each round."""
        if not tensors(list(inputs.values())):
            return inputs, [sizes]
        inputs, sizes = _with_batch(inputs, sizes)
        return inputs, [sizes, *self._more(arguments, inputs, sizes)]

    def other_batch(self, arguments: ConstructorArguments, inputs: dict[str, Spec], sizes: dict[str, int]) -> bool:
        """Whether the block, after a run with `sizes`, accepts another batch size."""
        others = [{**sizes, BATCH: batch} for batch in self._others(sizes.get(BATCH))]
        return bool(self.tries.first_working(arguments, inputs, sizes, others))

    def _more(
        self, arguments: ConstructorArguments, inputs: Mapping[str, Spec], sizes: Mapping[str, int]
    ) -> list[dict[str, int]]:
        """Return the sizes of further rounds that the block accepts: all named sizes changed, or those that may."""
        found: list[dict[str, int]] = []
        for batch in self._others(sizes.get(BATCH)):
            batched = {**sizes, BATCH: batch}
            if self.fitting is not None and BATCH in sizes and self.fitting.knows(arguments, inputs):
                # The proof's own run will show whether the block accepts them.
                found += [batched] if self.fitting.failure(arguments, inputs, batched) is None else []
                continue
            second = {name: self.seconds.get(name, size + 2) for name, size in sizes.items()}
            if BATCH in sizes:
                second[BATCH] = batch
            found += self._changed(arguments, inputs, sizes, second)
        return found

    def _changed(
        self,
        arguments: ConstructorArguments,
        inputs: Mapping[str, Spec],
        sizes: Mapping[str, int],
        second: Mapping[str, int],
    ) -> list[dict[str, int]]:
        """Return a list with `second`, or with as many of its numbers as the block accepts together; maybe empty."""
        whole = self.tries.first_working(arguments, inputs, sizes, [second])
        if whole:
            return whole
        changed = dict(sizes)
        for name, size in second.items():
            works = self.tries.first_working(arguments, inputs, sizes, [{**changed, name: size}])
            changed = works[0] if works else changed
        return [] if changed == sizes else [changed]

    def _others(self, first: int | None) -> list[int]:
        others = [batch for batch in self.batches if batch != first]
        return others if first is None or len(others) < len(self.batches) else others[:1]


def _with_batch(inputs: dict[str, Spec], sizes: dict[str, int]) -> tuple[dict[str, Spec], dict[str, int]]:
    """Return inputs and sizes with the first axis as the batch, if the shapes have no named sizes; else unchanged."""
    if sizes:
        return inputs, sizes
    lead = next((t.shape[0] for t in tensors(list(inputs.values())) if t.shape), None)
    if not isinstance(lead, int):
        return inputs, sizes
    return {name: with_batch(spec, lead) for name, spec in inputs.items()}, {BATCH: lead}
