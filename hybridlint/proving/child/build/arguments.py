"""How a block is built: arguments of its constructor, or its place in a larger block."""

from __future__ import annotations

from typing import NamedTuple


class Within(NamedTuple):
    """A place in a larger block: the expression that builds that one, and the names that lead to the place."""

    expression: str
    path: tuple[str, ...]

    def __str__(self) -> str:
        return f"`{'.'.join(self.path)}` of {self.expression}" if self.path else f"{self.expression} builds it"


class Arguments(NamedTuple):
    """Arguments of a constructor as Python expressions, or the place `within` a larger block that builds it."""

    args: list[str]
    kwargs: dict[str, str]
    within: Within | None = None

    def __str__(self) -> str:
        return ", ".join([*self.args, *(f"{key}={text}" for key, text in self.kwargs.items())])
