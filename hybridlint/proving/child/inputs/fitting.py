"""Fitting of input shapes to a graph of the block, without running the block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.build.arguments import Arguments
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.inputs import spatial
from hybridlint.proving.child.inputs.jointly import jointly
from hybridlint.proving.child.inputs.lines import first_fitting, mended
from hybridlint.proving.child.inputs.shape_trial import Sketch
from hybridlint.proving.child.inputs.specs import Spec, TensorSpec, World
from hybridlint.proving.child.stages import LOOKING, TRIAL, Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    _Sizes = Callable[[Mapping[str, Spec]], dict[str, int]]

#: Limits: seconds, and tries without a new error, for fitting the shapes of inputs.
PATIENCE, MOST = 2.0, 60
_OPERATOR = re.compile(r"Error in operator (\w+)")


class Fitting:
    """Fits inputs to a graph of a class whose operators broadcast as they do eagerly.

    The graph of the compiled run is not used for that: it would select inputs that hide differences. Rows of errors
    refer to the file `path`. `sizes` returns a number for each named size of inputs. `say` is called with each stage,
    because user code can end the process.
    """

    def __init__(self, world: World, cls: Any, path: str, *, sizes: _Sizes, say: Callable[[Stage], None]) -> None:
        self.sketch = Sketch(world, cls, path, eager=True)
        self.compiled = Sketch(world, cls, path, eager=False)
        self.sizes = sizes
        self.say = say

    def knows(self, arguments: Arguments, inputs: Mapping[str, Spec]) -> bool:
        """Whether a block built with these arguments has a graph for such inputs, whatever their sizes."""
        self.say(Stage("reading the graph of the block", optional=TRIAL))
        known = self.sketch.knows(arguments, inputs)
        self.say(LOOKING)
        return known

    def failure(
        self, arguments: Arguments, inputs: Mapping[str, Spec], sizes: Mapping[str, int] | None = None
    ) -> Failure | None:
        """Return the shape error that inputs cause, None if they fit or the block has no graph."""
        if not self.knows(arguments, inputs):
            return None
        return self.sketch.failure(arguments, inputs, self.sizes(inputs) if sizes is None else sizes)

    def refusal(
        self, arguments: Arguments, inputs: Mapping[str, Spec], sizes: Mapping[str, int] | None = None
    ) -> Failure | None:
        """Return the compiled run's error for inputs, None if it accepts them or the block has no graph."""
        if not self.knows(arguments, inputs):
            return None
        return self.compiled.failure(arguments, inputs, self.sizes(inputs) if sizes is None else sizes)

    def mixes(self, arguments: Arguments, inputs: Mapping[str, Spec], refusal: Failure) -> bool:
        """Whether the operator of the compiled run's error combines different inputs; True if that is not known."""
        operator = _OPERATOR.search(refusal.sentence)
        if operator is None:
            return False
        return not self.knows(arguments, inputs) or self.compiled.mixes(arguments, inputs, operator[1])

    def natural(self, arguments: Arguments, inputs: Mapping[str, Spec]) -> dict[str, Spec]:
        """Return inputs with the shapes that follow from the first one; unchanged if the block has no graph."""
        return (
            self.compiled.natural(arguments, inputs, self.sizes(inputs))
            if self.knows(arguments, inputs)
            else {**inputs}
        )

    def unequal(self, arguments: Arguments, inputs: Mapping[str, Spec]) -> str | None:
        """Return the name of an input that may be smaller than another one eagerly but not compiled.

        None means that no result depends on the inputs having equal sizes.
        """
        arrays = [name for name, spec in inputs.items() if isinstance(spec, TensorSpec) and len(spec.shape) > 1]
        if len(arrays) < 2 or not self.knows(arguments, inputs) or self.refusal(arguments, inputs) is not None:
            return None
        for name in arrays:
            for other in _smaller(inputs, name):
                if self.failure(arguments, other) is None and self.refusal(arguments, other) is not None:
                    return name
        return None

    def jointly(
        self, arguments: Arguments, inputs: Mapping[str, Spec], sizes: Mapping[str, int]
    ) -> Iterator[dict[str, Spec]]:
        """Yield inputs of these kinds whose shapes fit each other; none if the block has no graph."""
        if self.knows(arguments, inputs):
            yield from jointly(self.sketch, arguments, inputs, sizes)

    def fitted(self, arguments: Arguments, inputs: dict[str, Spec], failed: Failure) -> dict[str, Spec] | None:
        """Return inputs that fit, repaired after an error; None if the block has no graph or none fit."""
        if not self.knows(arguments, inputs):
            return None

        def check(tried: Mapping[str, Spec]) -> Failure | None:
            return self.sketch.failure(arguments, tried, self.sizes(tried))

        line = mended(inputs, check(inputs) or failed, {str(inputs)}, self.sizes, MOST, large=True)
        found = first_fitting(line, check, now() + PATIENCE)
        if found is None:
            return next((tried for tried in spatial.usual(inputs) if check(tried) is None), None)
        if not spatial.large(found):
            return found
        smaller = spatial.smaller(found, self.sizes(found))
        return next((tried for tried in smaller if check(tried) is None), found)


def _smaller(inputs: Mapping[str, Spec], name: str) -> Iterator[dict[str, Spec]]:
    """Yield the inputs with the size of one axis of an array set to 1."""
    spec = inputs[name]
    assert isinstance(spec, TensorSpec)
    for axis in range(1, len(spec.shape)):
        if spec.shape[axis] != 1:
            yield {**inputs, name: spec.reshaped((*spec.shape[:axis], 1, *spec.shape[axis + 1 :]))}
