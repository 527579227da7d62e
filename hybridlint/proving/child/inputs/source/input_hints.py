"""Hints about inputs: from their names, and from the layers and parameters of a block."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hybridlint.proving.child.inputs.initial_states import recurrent
from hybridlint.proving.child.specs.spec import BATCH, TensorSpec

#: Parts of input names that mean integers: indices, labels, lengths.
_WHOLE = ("idx", "index", "indices", "indexes", "ids", "id", "label", "labels", "token", "tokens", "words", "target")
_LENGTHS = re.compile(r"(?:\w+_)?(?:length|len)s?")


def whole_numbers(name: str) -> bool:
    """Whether an input's name says that its values are integers."""
    return any(part in _WHOLE for part in name.lower().split("_")) or is_length(name)


def is_length(name: str) -> bool:
    """Whether an input's name says that it holds the lengths of sequences."""
    return _LENGTHS.fullmatch(name.lower()) is not None


def layer_inputs(block: Any) -> list[TensorSpec]:
    """Return specs of inputs that fit a block's first layer or the block's own parameters, the likeliest first."""
    found: list[TensorSpec] = []
    for layer in _leaves(block):
        found += layer_input(layer)
        if type(layer).__name__ == "Embedding" and any(getattr(r, "_layout", "") == "TNC" for r in recurrent(block)):
            # A recurrent layer of layout TNC takes the time axis first, and so do the tokens that are embedded for it.
            found = [found[0].reshaped(("T", BATCH)), *found]
        if found:
            break
    for parameter in block._reg_params.values():
        found += _parameter_input(parameter.shape)
    return found


def _leaves(block: Any) -> Iterator[Any]:
    children = list(block._children.values())
    for child in children:
        # MXNet 2 keeps weak references.
        yield from _leaves(child() if type(child).__name__ == "ReferenceType" else child)
    if not children:
        yield block


def layer_input(layer: Any) -> list[TensorSpec]:
    """Return specs of inputs that fit a layer, the likeliest first; empty if the layer takes any."""
    kind = type(layer).__name__
    if "Pool" in kind and kind[-2:] in ("1D", "2D", "3D"):
        return [_image(3, int(kind[-2]))]
    # Layers for whole sequences create their states themselves. Cells do too, but can be unrolled.
    if hasattr(layer, "begin_state") and hasattr(layer, "_input_size") and not hasattr(layer, "unroll"):
        return [TensorSpec(("T", "N", layer._input_size or 4))]
    return _weighted_input(layer, kind)


def _weighted_input(layer: Any, kind: str) -> list[TensorSpec]:
    weight = getattr(layer, "weight", None)
    shape = tuple(getattr(weight, "shape", None) or ())
    if kind == "Embedding" and shape:
        return [TensorSpec(("N", "T"), low=0, high=shape[0], integers=True)]
    if kind == "Dense":
        width = shape[1] if len(shape) == 2 and shape[1] > 0 else 4
        flat, sequence = TensorSpec(("N", width)), TensorSpec(("N", "T", width))
        return [flat] if getattr(layer, "_flatten", True) else [sequence, flat]
    if kind.startswith("Conv") and len(shape) > 2:
        return _convolution_inputs(layer, shape)
    gamma = tuple(getattr(getattr(layer, "gamma", None), "shape", None) or ())
    if gamma and gamma[0] > 0:
        return [TensorSpec(("N", gamma[0])), _image(gamma[0], 2)]
    return []


def _convolution_inputs(layer: Any, shape: tuple[int, ...]) -> list[TensorSpec]:
    groups = getattr(layer, "_kwargs", {}).get("num_group", 1)
    transposed = "Transpose" in type(layer).__name__
    inner = shape[0] if transposed else shape[1] * groups
    return [_image(channels, len(shape) - 2) for channels in ([inner] if inner > 0 else [3, 4])]


def _image(channels: int, spatial: int) -> TensorSpec:
    return TensorSpec(("N", channels, *("H", "W", "D")[:spatial]))


def _parameter_input(shape: Any) -> list[TensorSpec]:
    """Return specs of inputs that broadcast with a parameter of this shape.

    Most have a batch axis in front. Axes where the parameter has size 1 get a named size.
    """
    if not shape or any(d <= 0 for d in shape):
        return []
    size = tuple(shape)
    if len(size) == 1:
        return [TensorSpec(("N", size[0])), TensorSpec(("N", size[0], "H", "W")), TensorSpec(("N", "T", size[0]))]
    inner = size[1:] if size[0] == 1 or 1 in size else size
    free: list[int | str] = [*_FREE[-len(inner) :]] if len(inner) <= len(_FREE) else ["T"] * len(inner)
    below = tuple(free[k] if d == 1 else d for k, d in enumerate(inner))
    if 1 in size:
        return _unique([TensorSpec(("N", *below)), TensorSpec(("N", "T", *below[-1:]))])
    if len(size) == 2:
        return [TensorSpec(("N", size[1])), TensorSpec(("N", size[0])), TensorSpec(("N", *size)), TensorSpec(size)]
    return [TensorSpec(("N", *size[1:])), TensorSpec(("N", *size)), TensorSpec(size)]


#: Names for input sizes along axes where a parameter has size 1.
_FREE = ("T", "D", "H", "W")


def _unique(specs: list[TensorSpec]) -> list[TensorSpec]:
    return list(dict.fromkeys(specs))
