"""Channels that the code leaves open: inputs of one channel or of several, between which the compiled run decides.

An image may have one channel. If a block adds its image to what a layer makes of it, the eager run broadcasts one of
them, and which channel counts the program uses decides whether the compiled run fails. Code that tells neither gives no
verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.build.values.guesses import plain_parameters
from hybridlint.proving.child.errors import Failure, NotRunError
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.runs.runs import PlannedCall, flat_arrays, inputs_of
from hybridlint.proving.child.search.input_choice import FoundInputs, of_shapes
from hybridlint.proving.child.specs.spec import Spec, TensorSpec, number
from hybridlint.proving.child.unequal_sizes import swaps

if TYPE_CHECKING:
    from collections.abc import Callable

#: Axes of a batch of images with channels, at least, and of signals with channels.
_IMAGE = 4
_SIGNAL = 3
#: What is added to data mostly has its shape, unlike what scales it.
_ADDS = re.compile(r"operator \S*?(?:plus|minus|add|sub)\d*\b")
#: Arguments of a constructor that say how many channels an image has.
_CHANNELS = re.compile(r"channel|planes|(?:^|_)(?:colou?rs?|nc|ch|depth)(?:_|$)")
#: The restriction of a proof on images of one channel.
ONE_CHANNEL = "images of one channel, as one is made of them: eagerly others broadcast with it"


class AmbiguousChannels(NamedTuple):
    """Tells whether the code leaves open how many channels an image has.

    `taken` returns inputs that the eager run accepts, else None; `refusal` returns the compiled run's failure on them.
    `sizes` returns a number for each named size.
    """

    world: LoadedModule
    cls: Any
    taken: Callable[[ConstructorArguments, dict[str, Spec]], FoundInputs | None]
    refusal: Callable[[FoundInputs], Failure | None]
    sizes: Callable[[Mapping[str, Spec]], dict[str, int]]

    def of_one_channel(self, found: FoundInputs, refusal: Failure | None) -> FoundInputs | None:
        """Return inputs with images of one channel, for which the code is meant; None if nothing says so.

        It is meant for them if the compiled run takes them only, and their height and width are those that a decoder
        makes, or the block's own default is one channel. What is made of an image is then compared with the image.
        """
        for inputs in _of_one_channel(found) if refusal is not None and of_shapes(refusal) else ():
            ((name, image),) = _images(found).items()
            if self._has_one_size(found, name, image) or any(
                _CHANNELS.search(one) for one in self._ones(found.arguments)
            ):
                single = {name: replace(image, shape=(image.shape[0], 1, *image.shape[2:]), single=frozenset({1}))}
                other = self.taken(found.arguments, {**inputs, **single})
                return other if other is not None and self.refusal(other) is None else None
        return None

    def _has_one_size(self, found: FoundInputs, name: str, image: TensorSpec) -> bool:
        """Return whether the block refuses larger images, because they would not fit the array that they meet."""
        sizes = self.sizes(found.inputs)
        larger = tuple(2 * number(size, sizes) for size in image.shape[2:])
        return self.taken(found.arguments, {**found.inputs, name: image.reshaped((*image.shape[:2], *larger))}) is None

    def left_open(self, found: FoundInputs, refusal: Failure | None) -> Failure | None:
        """Return the failure of the compiled run if the code leaves open whether images have one channel."""
        return self.accepts(found) if refusal is None else self.refuses(found, refusal)

    def refuses(self, found: FoundInputs, refusal: Failure) -> Failure | None:
        """Return `refusal` if it is only for a default of 1 that another number, given the same inputs, avoids.

        So it is if a sum fails that data of one channel, as a layer behind them makes, would not break.
        """
        if of_shapes(refusal) and _ADDS.search(refusal.sentence) and self._suits_one_channel(found):
            return refusal
        if not of_shapes(refusal) or found.arguments.within is not None or found.arguments.args or not _images(found):
            return None
        wanted = {size for pair in swaps(refusal.sentence) if 1 in pair for size in pair} - {1}
        for name in self._ones(found.arguments):
            for size in sorted(wanted):
                kwargs = {**found.arguments.kwargs, name: str(size)}
                other = self.taken(ConstructorArguments([], kwargs), found.inputs)
                if other is not None and self.refusal(other) is None:
                    return refusal
        return None

    def _suits_one_channel(self, found: FoundInputs) -> bool:
        """Return whether eager and compiled runs take the only image or signal with one channel."""
        others = (self.taken(found.arguments, inputs) for inputs in _of_one_channel(found, _SIGNAL))
        return any(other is not None and self.refusal(other) is None for other in others)

    def accepts(self, found: FoundInputs) -> Failure | None:
        """Return the failure of the compiled run on images of one channel, which the eager run takes as well.

        None if there is none, or if the block returns what has as many channels: then it is a part of a network, which
        works on features.
        """
        for inputs in _of_one_channel(found):
            other = self.taken(found.arguments, inputs)
            failed = None if other is None else self.refusal(other)
            if failed is not None and of_shapes(failed) and not self._keeps_channels(found):
                return failed
        return None

    def _ones(self, arguments: ConstructorArguments) -> Iterator[str]:
        try:
            parameters = plain_parameters(self.cls)
        except NotRunError:
            return
        for parameter in parameters:
            if parameter.name not in arguments.kwargs and type(parameter.default) is int and parameter.default == 1:
                yield parameter.name

    def _keeps_channels(self, found: FoundInputs) -> bool:
        channels = {spec.shape[1] for spec in _images(found).values()}
        call = PlannedCall(tuple(self.sizes(found.inputs).items()), 0, "predict")
        block = build(self.world, self.cls, *found.arguments)
        outputs = flat_arrays(block(*inputs_of(self.world, found.inputs, call)))
        return any(leaf.shape[1] in channels for leaf in outputs if len(leaf.shape) > 1)


def _images(found: FoundInputs, axes: int = _IMAGE) -> dict[str, TensorSpec]:
    return {n: spec for n, spec in found.inputs.items() if isinstance(spec, TensorSpec) and len(spec.shape) >= axes}


def _of_one_channel(found: FoundInputs, axes: int = _IMAGE) -> Iterator[dict[str, Spec]]:
    """Yield the inputs with one channel in the only image, if it has several."""
    images = _images(found, axes)
    for name, spec in images.items() if len(images) == 1 else ():
        if spec.shape[1] != 1:
            yield {**found.inputs, name: spec.reshaped((spec.shape[0], 1, *spec.shape[2:]))}
