"""How a block is built and called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hybridlint.proving.child.build.arguments import Arguments
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.inputs.specs import FLAVOURS, Spec, show


class Setup(NamedTuple):
    """How a block is built and called: `rounds` are the named sizes of each round, `flavours` the random inputs.

    `only` says for what alone a proof holds that is made so.
    """

    arguments: Arguments
    inputs: dict[str, Spec]
    rounds: list[dict[str, int]]
    flavours: list[int]
    only: tuple[str, ...] = ()

    def chosen(self, samples: int) -> list[int]:
        """Return the numbers of as many random inputs as are asked for; slow blocks run on one only."""
        if len(self.flavours) == 1:
            return self.flavours
        return [self.flavours[k % len(self.flavours)] + FLAVOURS * (k // len(self.flavours)) for k in range(samples)]

    @property
    def text(self) -> str:
        """The setup for people, to stand behind the name of the class: ``(units=4) on x (N, 4)``."""
        within = self.arguments.within
        built = f"({self.arguments})" if within is None else f" as {within}"
        return f"{built} on {shown(self.inputs) or 'no input'}"


class Attempt(NamedTuple):
    """Inputs that were tried and failed."""

    inputs: Mapping[str, Spec]
    failure: Failure


def shown(inputs: Mapping[str, Spec]) -> str:
    """Write inputs for people."""
    return ", ".join(f"{name} {show(spec)}" for name, spec in inputs.items())
