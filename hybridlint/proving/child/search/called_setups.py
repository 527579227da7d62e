"""Setups that the project itself shows in a call that is written out: ``Net()(mx.nd.ones((2, 3)))``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.build.blocks import SEED, seed_all
from hybridlint.proving.child.build.values.callsites import LiteralCall
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.runs.setup import Setup
from hybridlint.proving.child.search.input_choice import FoundInputs
from hybridlint.proving.child.specs import signatures
from hybridlint.proving.child.specs.seen_inputs import seen_inputs
from hybridlint.proving.child.specs.spec import Spec, TensorSpec, tensors, with_batch

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridlint.proving.child.search.search_target import SearchTarget

#: The number of axes from which on an array holds images, and the longest side that is tried first as it is.
_IMAGE, _SIDE = 4, 32


class CalledSetup(NamedTuple):
    """A setup that a call of the project shows: `exact` with its sizes, `varied` with others that run eagerly too."""

    varied: Setup
    exact: Setup


class CalledSetups(NamedTuple):
    """Finds the setups of one class in the calls of its project.

    `taken` returns inputs that the eager run accepts, else None; `vary` returns the setup for some, with several sizes,
    and is None if only the sizes of a call are meant.
    """

    subject: SearchTarget
    taken: Callable[[ConstructorArguments, dict[str, Spec]], FoundInputs | None]
    vary: Callable[[FoundInputs], Setup] | None

    def first(self, until: float) -> CalledSetup | None:
        """Return the first setup that runs eagerly, None if none is found until then."""
        for call in self.subject.constructor.sites.literal(self.subject.cls):
            if now() > until:
                return None
            arguments_ = ConstructorArguments([], dict(call.arguments))
            inputs = self._inputs(arguments_, call)
            if inputs is None:
                continue
            found = next(filter(None, (self.taken(arguments_, some) for some in _likely_first(inputs))), None)
            if found is not None:
                exact = Setup(arguments_, inputs, [{}], found.flavours)
                return CalledSetup(exact if self.vary is None else self.vary(self._with_batch(found)), exact)
        return None

    def _inputs(self, arguments_: ConstructorArguments, call: LiteralCall) -> dict[str, Spec] | None:
        """Return specs of a call's inputs by name; None if the block cannot be built or an input has none."""
        world = self.subject.world
        try:
            takes = signatures.signature(self.subject.built(arguments_, initialize=False))
            with world.scope():
                seed_all(world.mx, SEED)
                values = [*map(world.evaluate, call.inputs), *(world.evaluate(text) for _, text in call.named)]
        except Exception:
            return None
        seen = seen_inputs(({}, {}), values, None)
        order = [*takes.required, *takes.optional]
        if seen is None or len(call.inputs) > len(order):
            return None
        named = [*order[: len(call.inputs)], *(name for name, _ in call.named)]
        inputs = dict(zip(named, seen.inputs))  # noqa: B905 - the child also runs under Python 3.8
        return {name: inputs[name] for name in order if name in inputs} if set(named) <= set(order) else None

    def _with_batch(self, found: FoundInputs) -> FoundInputs:
        """Return inputs of one first size with the batch as first size, if the eager run accepts it."""
        arrays = tensors(list(found.inputs.values()))
        sizes = {spec.shape[0] if spec.shape else None for spec in arrays}
        first = sizes.pop() if len(sizes) == 1 else None
        if not isinstance(first, int):
            return found
        named = {name: with_batch(spec, first) for name, spec in found.inputs.items()}
        return self.taken(found.arguments, named) or found


def _likely_first(inputs: dict[str, Spec]) -> Iterator[dict[str, Spec]]:
    """Yield inputs with real numbers in place of whole ones, then the inputs with the whole numbers.

    ``nd.array([[1, 2]])`` shows a shape; whole numbers are meant, such as for indices, only if nothing else runs.
    """
    anything = {name: _any_numbers(spec) for name, spec in inputs.items()}
    if anything != inputs:
        yield from _smaller_first(anything)
    yield from _smaller_first(inputs)


def _any_numbers(spec: Any) -> Any:
    if not isinstance(spec, TensorSpec) or not spec.integers or not spec.dtype.startswith("float"):
        return spec
    return TensorSpec(spec.shape, spec.dtype)


def _smaller_first(inputs: dict[str, Spec]) -> Iterator[dict[str, Spec]]:
    """Yield inputs with small images in place of large ones, then the inputs themselves."""
    smaller = {name: _smaller(spec) for name, spec in inputs.items()}
    if smaller != inputs:
        yield smaller
    yield inputs


def _smaller(spec: Any) -> Any:
    if not isinstance(spec, TensorSpec) or len(spec.shape) < _IMAGE:
        return spec
    *rest, height, width = spec.shape
    large = isinstance(height, int) and isinstance(width, int) and min(height, width) > _SIDE
    return spec.reshaped((*rest, "H", "W")) if large else spec
