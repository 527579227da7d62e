"""Environment variables that a block reads in its forward pass: a compiled graph keeps the values from the trace."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from hybridlint.proving.child.loaded_module import LoadedModule

#: Values for a variable, the likeliest first: numbers if the variable is unset or holds a number.
_NUMBERS, _WORDS = ("0.5", "2", "3"), ("1", "0", "on", "other")


class Variable(NamedTuple):
    """An environment variable and the value to give it."""

    name: str
    value: str

    def make(self, _world: LoadedModule, _block: Any) -> None:
        """Set the variable."""
        os.environ[self.name] = self.value

    def description(self, _world: LoadedModule, _block: Any) -> str:
        """Return a sentence for the user about the change."""
        return f"the environment variable {self.name} is set to {self.value}"


def changes_of(name: str) -> list[Variable]:
    """Return changes of an environment variable to other values, the likeliest first."""
    held = os.environ.get(name)
    values = (*_NUMBERS, *_WORDS) if held is None or _is_number(held) else (*_WORDS, *_NUMBERS)
    return [Variable(name, value) for value in values if value != held]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def speaks_of_it(text: str) -> bool:
    """Whether a source reads environment variables at all."""
    return "environ" in text or "getenv" in text


@contextmanager
def watch_environment() -> Iterator[list[str]]:
    """Yield a list that collects the names of the environment variables read inside the context."""
    read: list[str] = []
    kind = type(os.environ)
    plain = kind.__getitem__

    def noting(self: Any, key: Any) -> Any:
        if isinstance(key, str) and key not in read:
            read.append(key)
        return plain(self, key)

    kind.__getitem__ = noting  # type: ignore[method-assign]
    try:
        yield read
    finally:
        kind.__getitem__ = plain  # type: ignore[method-assign]
