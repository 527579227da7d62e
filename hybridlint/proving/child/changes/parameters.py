"""Changes of parameters whose data a block's pass reads itself: by other numbers than those of a training step.

Training may flip the sign of a parameter, and make it as small or large as no perturbation of a proof does. A graph
takes parameters as its inputs, but not the numbers that code has made of their data.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any, NamedTuple

from hybridlint.proving.child.changes.change import own_classes, parts_of
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.runs.variants import BlockVersion

#: What a parameter is multiplied by.
_FACTORS = (-1.0, 0.001, 1000.0)


class ParameterChange(NamedTuple):
    """A parameter of all parts of a class multiplied by a number; `chain` are the attributes that lead to it."""

    cls: type
    chain: tuple[str, ...]
    shown: str
    factor: float

    def make(self, world: LoadedModule, block: Any) -> None:
        """Make the change, once for a parameter that several parts share."""
        found = [_parameter(part, self.chain) for part in parts_of(block, self.cls)]
        with world.scope():
            for parameter in {id(parameter): parameter for parameter in found if parameter is not None}.values():
                parameter.set_data(parameter.data() * self.factor)

    def description(self, world: LoadedModule, block: Any) -> str:
        """Return a sentence for the user about the change."""
        return f"{self.shown} is multiplied by {self.factor:g}"


def parameter_changes(side: BlockVersion, block: Any) -> Iterator[tuple[str, list[ParameterChange]]]:
    """Yield each parameter whose data a block's pass reads, by its name for users, with changes to try."""
    for cls in own_classes(side.world, block):
        for chain in side.changes.of(cls.__name__).parameters:
            if _parameter(next(parts_of(block, cls)), chain) is not None:
                shown = ".".join(["self" if type(block) is cls else cls.__name__, *chain])
                yield shown, [ParameterChange(cls, chain, shown, factor) for factor in _FACTORS]


def _parameter(part: Any, chain: tuple[str, ...]) -> Any:
    """Return the parameter at the end of a chain of attributes; None if it is no parameter, or one of integers."""
    try:
        found = reduce(getattr, chain, part)
    except AttributeError:
        return None
    is_parameter = hasattr(found, "set_data") and hasattr(found, "grad_req")
    return found if is_parameter and "float" in str(found.dtype) + getattr(found.dtype, "__name__", "") else None
