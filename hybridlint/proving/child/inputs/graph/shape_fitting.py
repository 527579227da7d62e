"""Choosing input shapes by shape inference on a block's symbolic graph, without running the block."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.inputs.candidate_queue import first_fitting, repair_inputs
from hybridlint.proving.child.inputs.graph.joint_shapes import jointly
from hybridlint.proving.child.inputs.graph.shape_trial import ShapeTrial
from hybridlint.proving.child.inputs.repairs import spatial_sizes
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.specs.spec import Spec, TensorSpec
from hybridlint.proving.child.stages import LOOKING, TRIAL, Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    _Sizes = Callable[[Mapping[str, Spec]], dict[str, int]]

#: Limits of one search for fitting shapes: seconds, and inputs tried in a row without a new error.
PATIENCE, MOST = 2.0, 60
#: The same for shapes in which what operators combine is equal.
PATIENCE_ALIKE, MOST_ALIKE = 0.7, 3
#: Most operators that are let broadcast one after the other, until some shapes fit.
MOST_LOOSE = 4
_OPERATOR = re.compile(r"Error in operator (\w+)")


class Fitting:
    """Fits the shapes of inputs to a class's graph, whose operators broadcast as in the eager run.

    The graph of the compiled run is not used for choosing shapes: it would reject inputs that show a difference between
    the two runs. Rows in failures are rows of the file `path`. `sizes` returns a number for each named size of inputs.
    `report_stage` is called with each stage before it begins, because user code can end the process.
    """

    def __init__(
        self, world: LoadedModule, cls: Any, path: str, *, sizes: _Sizes, report_stage: Callable[[Stage], None]
    ) -> None:
        self.eager = ShapeTrial(world, cls, path, eager=True)
        self.alike = ShapeTrial(world, cls, path, eager=True, alike=True)
        self.compiled = ShapeTrial(world, cls, path, eager=False)
        #: Found inputs, as text, with which what operators combine has equal shapes.
        self.equal: set[str] = set()
        self.sizes = sizes
        self.report_stage = report_stage

    def knows(self, arguments: ConstructorArguments, inputs: Mapping[str, Spec]) -> bool:
        """Whether a block built with these arguments can be traced to a graph with such inputs; sizes do not matter."""
        self.report_stage(Stage("reading the graph of the block", optional=TRIAL))
        known = self.eager.knows(arguments, inputs)
        self.report_stage(LOOKING)
        return known

    def failure(
        self, arguments: ConstructorArguments, inputs: Mapping[str, Spec], sizes: Mapping[str, int] | None = None
    ) -> Failure | None:
        """Return the shape error that inputs cause in the eager run's graph; None without an error or graph.

        Without `sizes` the usual number is used for each named size.
        """
        if not self.knows(arguments, inputs):
            return None
        return self.eager.failure(arguments, inputs, self.sizes(inputs) if sizes is None else sizes)

    def refusal(
        self, arguments: ConstructorArguments, inputs: Mapping[str, Spec], sizes: Mapping[str, int] | None = None
    ) -> Failure | None:
        """Return the shape error that inputs cause in the compiled run's graph; None if there is no error or graph."""
        if not self.knows(arguments, inputs):
            return None
        return self.compiled.failure(arguments, inputs, self.sizes(inputs) if sizes is None else sizes)

    def mixes(self, arguments: ConstructorArguments, inputs: Mapping[str, Spec], refusal: Failure) -> bool:
        """Whether the operator that raised `refusal` in the compiled run combines arrays from different inputs.

        True if there is no graph, or if the graph has no such operator. False if the error names no operator.
        """
        operator = _OPERATOR.search(refusal.sentence)
        if operator is None:
            return False
        return not self.knows(arguments, inputs) or self.compiled.mixes(arguments, inputs, operator[1])

    def compiles(self, arguments: ConstructorArguments, inputs: Mapping[str, Spec]) -> bool:
        """Whether a block built with these arguments can be traced unchanged with these inputs."""
        self.report_stage(Stage("reading the graph of the block", optional=TRIAL))
        known = self.compiled.knows(arguments, inputs)
        self.report_stage(LOOKING)
        return known

    def natural(self, arguments: ConstructorArguments, inputs: Mapping[str, Spec]) -> dict[str, Spec]:
        """Return inputs with the shapes that the compiled run's graph infers from the first input.

        They are unchanged if the block has no graph.
        """
        return (
            self.compiled.natural(arguments, inputs, self.sizes(inputs))
            if self.knows(arguments, inputs)
            else {**inputs}
        )

    def unequal(self, arguments: ConstructorArguments, inputs: Mapping[str, Spec]) -> str | None:
        """Return the name of an input with an axis that may have size 1 in the eager run only.

        Such an input broadcasts eagerly only. None means that no input was found for which equal sizes matter.
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
        self, arguments: ConstructorArguments, inputs: Mapping[str, Spec], sizes: Mapping[str, int], until: float
    ) -> Iterator[dict[str, Spec]]:
        """Yield versions of `inputs` with shapes that fit each other; nothing if the block has no graph.

        The search ends at the time `until`. Arrays that are added or compared mostly have equal shapes, so a few inputs
        of which that is true come first.
        """
        if not self.knows(arguments, inputs):
            return
        for _ in range(MOST_LOOSE):
            refused: list[str] = []
            alike = jointly(
                self.alike, arguments, inputs, sizes, patience=min(PATIENCE_ALIKE, until - now()), refused=refused
            )
            found = list(islice(alike, MOST_ALIKE))
            self.equal.update(map(str, found))
            yield from found
            operators = Counter(match[1] for match in map(_OPERATOR.search, refused) if match)
            if found or not any(self.alike.loosen(name) for name, _ in operators.most_common(1)):
                break
        yield from jointly(self.eager, arguments, inputs, sizes, patience=min(PATIENCE, until - now()))

    def fitted(
        self, arguments: ConstructorArguments, inputs: dict[str, Spec], failed: Failure
    ) -> dict[str, Spec] | None:
        """Return a repaired version of `inputs` that fits; None if none is found or the block has no graph.

        `failed` is the error of the eager run on `inputs`.
        """
        if not self.knows(arguments, inputs):
            return None

        def check(tried: Mapping[str, Spec]) -> Failure | None:
            return self.eager.failure(arguments, tried, self.sizes(tried))

        line = repair_inputs(inputs, check(inputs) or failed, {str(inputs)}, self.sizes, MOST, large=True)
        found = first_fitting(line, check, now() + PATIENCE)
        if found is None:
            return next((tried for tried in spatial_sizes.usual(inputs) if check(tried) is None), None)
        if not spatial_sizes.large(found):
            return found
        smaller = spatial_sizes.smaller(found, self.sizes(found))
        return next((tried for tried in smaller if check(tried) is None), found)


def _smaller(inputs: Mapping[str, Spec], name: str) -> Iterator[dict[str, Spec]]:
    """Yield versions of `inputs`: in each, one axis of the input `name`, but not the first axis, has size 1."""
    spec = inputs[name]
    assert isinstance(spec, TensorSpec)
    for axis in range(1, len(spec.shape)):
        if spec.shape[axis] != 1:
            yield {**inputs, name: spec.reshaped((*spec.shape[:axis], 1, *spec.shape[axis + 1 :]))}
