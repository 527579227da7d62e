"""Inputs whose shapes the graph of a block has nothing against: found without running it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hybridlint.verify.child import spatial
from hybridlint.verify.child.arguments import Arguments
from hybridlint.verify.child.clock import now
from hybridlint.verify.child.errors import Failure
from hybridlint.verify.child.lines import first_fitting, mended
from hybridlint.verify.child.sketch import Sketch
from hybridlint.verify.child.specs import Spec, World
from hybridlint.verify.child.stages import LOOKING, TRIAL, Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    _Sizes = Callable[[Mapping[str, Spec]], dict[str, int]]

#: Seconds, and inputs without another error, for fitting the shapes of inputs.
PATIENCE, MOST = 2.0, 60


class Fitting:
    """Fits inputs to the graph of a class, as the compiled run will see it. Errors have rows in the file `path`.

    `sizes` tells what the named sizes of inputs stand for, `say` is told what is done: code can end the process.
    """

    def __init__(self, world: World, cls: Any, path: str, *, sizes: _Sizes, say: Callable[[Stage], None]) -> None:
        self.sketch = Sketch(world, cls, path)
        self.sizes = sizes
        self.say = say

    def knows(self, arguments: Arguments, inputs: Mapping[str, Spec]) -> bool:
        """Whether a block that is built so has a graph for such inputs, whatever their sizes."""
        self.say(Stage("reading the graph of the block", optional=TRIAL))
        known = self.sketch.knows(arguments, inputs)
        self.say(LOOKING)
        return known

    def failure(
        self, arguments: Arguments, inputs: Mapping[str, Spec], sizes: Mapping[str, int] | None = None
    ) -> Failure | None:
        """Return what the shapes of inputs contradict, None where they fit or the block has no graph."""
        if not self.knows(arguments, inputs):
            return None
        return self.sketch.failure(arguments, inputs, self.sizes(inputs) if sizes is None else sizes)

    def fitted(self, arguments: Arguments, inputs: dict[str, Spec], failed: Failure) -> dict[str, Spec] | None:
        """Return inputs that fit, made of others after their error; None where the block has no graph or none fit."""
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
