"""A setup: how a block is built and called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.specs.spec import FLAVOURS, Spec, show


class Setup(NamedTuple):
    """How a block is built (`arguments`) and called (`inputs`, as specs by name).

    `rounds` has the numbers of the named sizes in each round, `flavours` the kinds of random values that the block
    accepts. `only` lists the restrictions that a proof with this setup must state.
    """

    arguments: ConstructorArguments
    inputs: dict[str, Spec]
    rounds: list[dict[str, int]]
    flavours: list[int]
    only: tuple[str, ...] = ()

    def chosen(self, samples: int) -> list[int]:
        """Return the flavours of `samples` random inputs for each round; a slow block has only one."""
        if len(self.flavours) == 1:
            return self.flavours
        return [self.flavours[k % len(self.flavours)] + FLAVOURS * (k // len(self.flavours)) for k in range(samples)]

    @property
    def text(self) -> str:
        """Return the setup as text to follow the class name, such as ``(units=4) on x (N, 4)``."""
        within = self.arguments.within
        built = f"({self.arguments})" if within is None else f" as {within}"
        return f"{built} on {inputs_text(self.inputs) or 'no input'}"


class Attempt(NamedTuple):
    """Inputs that were tried, and their failure."""

    inputs: Mapping[str, Spec]
    failure: Failure


def inputs_text(inputs: Mapping[str, Spec]) -> str:
    """Return inputs as text for the user."""
    return ", ".join(f"{name} {show(spec)}" for name, spec in inputs.items())
