"""Constructor arguments recorded while a larger block is built, if all of them can be written as expressions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.loaded_module import LoadedModule

#: Calls whose arguments have more characters than this are not recorded.
_LONGEST = 2000
#: Arguments that only name a block or share its parameters; they are not recorded.
_NAMING = ("prefix", "params")


class KnownConstructions:
    """Recorded constructor calls: `of` maps the `id` of an instance to its arguments.

    `by_heirs` maps a class to the arguments with which subclasses called its constructor through `super()`.
    """

    def __init__(self, world: LoadedModule) -> None:
        self.world = world
        self.of: dict[int, ConstructorArguments] = {}
        self.by_heirs: dict[Any, list[ConstructorArguments]] = {}
        #: Keeps the instances alive, so that no id is used again.
        self._kept: list[Any] = []

    @contextmanager
    def watched(self, classes: Collection[Any]) -> Iterator[None]:
        """Record the constructor calls of these classes inside the context."""
        own = {cls: vars(cls)["__init__"] for cls in classes if inspect.isfunction(vars(cls).get("__init__"))}
        for cls, function in own.items():
            cls.__init__ = self._noting(cls, function)
        try:
            yield
        finally:
            for cls, function in own.items():
                cls.__init__ = function

    def _noting(self, cls: Any, function: Any) -> Any:
        @functools.wraps(function)
        def noting(block: Any, /, *args: Any, **kwargs: Any) -> Any:
            # Record first: a constructor may remove items from its arguments.
            written = self._arguments(function, args, kwargs)
            result = function(block, *args, **kwargs)
            if written is not None and type(block) is cls:
                self.of[id(block)] = written
                self._kept.append(block)
            elif written is not None:
                self.by_heirs.setdefault(cls, []).append(written)
            return result

        return noting

    def _arguments(
        self, function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> ConstructorArguments | None:
        parameters = list(inspect.signature(function).parameters.values())[1:]
        if len(args) > sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters):
            return None
        given = {**{parameters[k].name: value for k, value in enumerate(args)}, **kwargs}
        texts = {name: self.expression(value) for name, value in given.items() if name not in _NAMING}
        written = {name: text for name, text in texts.items() if text is not None}
        if len(written) < len(texts) or sum(map(len, written.values())) > _LONGEST:
            return None
        return ConstructorArguments([], written)

    def expression(self, value: Any) -> str | None:
        """Return an expression for a value of plain types, classes or functions; None for any other value."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, (bool, int, float, str)):
            return repr(value)
        if type(value) in (list, tuple):
            items = self._all(value)
            if items is None:
                return None
            inner = ", ".join(items) + ("," if type(value) is tuple and len(items) == 1 else "")
            return f"({inner})" if type(value) is tuple else f"[{inner}]"
        if type(value) is dict:
            keys, values = self._all(value), self._all(value.values())
            if keys is None or values is None:
                return None
            return f"{{{', '.join(f'{key}: {values[k]}' for k, key in enumerate(keys))}}}"
        return self._named(value)

    def _all(self, values: Any) -> list[str] | None:
        found = [self.expression(value) for value in values]
        written = [text for text in found if text is not None]
        return written if len(written) == len(found) else None

    def _named(self, value: Any) -> str | None:
        name = value.__name__ if isinstance(value, type) or inspect.isfunction(value) else ""
        if not name.isidentifier():
            return None
        if getattr(self.world.mx.gluon.nn, name, None) is value:
            return f"nn.{name}"
        self.world.borrow(value)
        return name if self.world.namespace.get(name, self.world.borrowed.get(name)) is value else None
