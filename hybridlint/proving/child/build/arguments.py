"""How a block is built: from arguments of its constructor, or as a part of a larger block."""

from __future__ import annotations

from typing import NamedTuple


class Within(NamedTuple):
    """A place in a larger block: an expression that builds the larger block, and the child names leading to it."""

    expression: str
    path: tuple[str, ...]

    def __str__(self) -> str:
        return f"`{'.'.join(self.path)}` of {self.expression}" if self.path else f"{self.expression} builds it"


class ConstructorArguments(NamedTuple):
    """Constructor arguments as Python expressions, or the place `within` a larger block that builds this one."""

    args: list[str]
    kwargs: dict[str, str]
    within: Within | None = None

    def __str__(self) -> str:
        return ", ".join([*self.args, *(f"{key}={text}" for key, text in self.kwargs.items())])
