"""Sizes that a block defines: axis sizes of its parameters, and integers among its constructor arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hybridlint.proving.child.build.arguments import ConstructorArguments


def parameter_sizes(block: Any) -> set[int]:
    """Return the sizes of the first two axes of all parameters: the numbers of output and input features."""
    return {size for parameter in block.collect_params().values() for size in _sizes(parameter, 2)}


def owned_sizes(block: Any, arguments: ConstructorArguments) -> list[int]:
    """Return integers above 1 among the constructor's arguments, and the sizes of parameters without a gradient.

    An example of the latter is a constant table of positions.
    """
    given = [int(text) for text in arguments.kwargs.values() if text.isdigit() and int(text) > 1]
    fixed = [parameter for parameter in block.collect_params().values() if parameter.grad_req == "null"]
    return list(dict.fromkeys([*given, *(size for parameter in fixed for size in _sizes(parameter))]))


def _sizes(parameter: Any, most: int | None = None) -> Iterator[int]:
    shape = tuple(parameter.shape or ())[:most]
    return (size for size in shape if isinstance(size, int) and size > 1)
