"""Recording of constructor arguments."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hybridlint.proving.recording.child.expressions import (
    ExpressionWriter,
    UnwritableError,
    call_expression,
    placeholder,
)


@dataclass
class MadeBlock:
    """Constructor arguments as unresolved expressions, or the reason why they are unknown.

    `children` counts the child blocks that the constructor itself adds.
    """

    args: list[str]
    kwargs: dict[str, str]
    unknown: str | None = None
    children: int = 0


class RecordedConstructions:
    """Records the constructor arguments of all subclasses of mxnet's Block while `installed` is active."""

    def __init__(self, mx: Any, *, data: bool = False) -> None:
        self.base = mx.gluon.Block
        self.writer = ExpressionWriter(mx, self.expression, data=data)
        self._parameters = mx.gluon.ParameterDict
        #: Keyed by id, because blocks may be unhashable.
        self._made: dict[int, tuple[weakref.ref[Any], MadeBlock]] = {}
        self._building = threading.local()
        self._wrapped: list[tuple[type, Any, Any]] = []

    def of(self, block: Any) -> MadeBlock:
        """Return how a block was built."""
        known, made = self._made.get(id(block), (None, None))
        if known is None or made is None or known() is not block:
            return MadeBlock([], {}, "it was copied, or built before anybody watched")
        return made

    def expression(self, block: Any) -> str:
        """Return an unresolved expression that builds a block, including children added after construction.

        Raises UnwritableError.
        """
        made = self.of(block)
        if made.unknown is not None:
            raise UnwritableError(f"a {type(block).__name__}: {made.unknown}")
        text = call_expression(placeholder(type(block)), made.args, made.kwargs)
        added = list(block._children.values())[made.children :]
        if not added:
            return text
        if not hasattr(block, "add"):
            raise UnwritableError(f"a {type(block).__name__} with children that it did not build")
        children = ", ".join(map(self.writer.write, added))
        return f"(lambda block: block.add({children}) or block)({text})"

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Watch the constructors of existing classes and of those defined later."""
        watch = self._wrap
        inherited = vars(self.base).get("__init_subclass__")

        def __init_subclass__(cls: Any, /, **kwargs: Any) -> None:  # noqa: N807
            super(self.base, cls).__init_subclass__(**kwargs)
            watch(cls)

        self.base.__init_subclass__ = classmethod(__init_subclass__)
        for cls in _subclasses(self.base):
            self._wrap(cls)
        try:
            yield
        finally:
            if inherited is None:
                del self.base.__init_subclass__
            else:
                self.base.__init_subclass__ = inherited
            for cls, original, wrapper in self._wrapped:
                if vars(cls).get("__init__") is wrapper:
                    cls.__init__ = original  # type: ignore[misc]
            self._wrapped.clear()

    def _wrap(self, cls: Any) -> None:
        original = vars(cls).get("__init__")
        if original is None:
            return
        noted = self._noted

        @functools.wraps(original)
        def __init__(block: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            with noted(block, cls, args, kwargs):
                original(block, *args, **kwargs)

        cls.__init__ = __init__
        self._wrapped.append((cls, original, __init__))

    @contextmanager
    def _noted(self, block: Any, cls: type, args: Any, kwargs: Mapping[str, Any]) -> Iterator[None]:
        building: set[int] = vars(self._building).setdefault("ids", set())
        if id(block) in building:
            yield
            return
        building.add(id(block))
        made = self._written(block, cls, args, kwargs)
        try:
            yield
        finally:
            building.discard(id(block))
        made.children = len(block._children)
        key, forget = id(block), self._made.pop
        self._made[key] = weakref.ref(block, lambda _: forget(key, None)), made

    def _written(self, block: Any, cls: type, args: Any, kwargs: Mapping[str, Any]) -> MadeBlock:
        outermost = next(base for base in type(block).__mro__ if "__init__" in vars(base))
        if outermost is not cls:
            return MadeBlock([], {}, "its constructor was not seen")
        try:
            return MadeBlock(
                [self._argument(f"argument {k + 1}", value) for k, value in enumerate(args)],
                {name: self._argument(f"`{name}`", value) for name, value in kwargs.items()},
            )
        except UnwritableError as error:
            return MadeBlock([], {}, str(error))

    def _argument(self, name: str, value: Any) -> str:
        # Shared parameters belong to another block; a block built on its own creates them itself.
        if isinstance(value, self._parameters):
            return "None"
        try:
            return self.writer.write(value)
        except UnwritableError as error:
            raise UnwritableError(f"{name} is {error}") from None
        except Exception as error:
            # An error in a value's own methods must not stop the program.
            raise UnwritableError(f"{name} cannot be looked at: {error}") from None


def _subclasses(cls: Any) -> Iterator[Any]:
    seen = {cls}
    pending = [cls]
    while pending:
        current = pending.pop()
        yield current
        new = [sub for sub in current.__subclasses__() if sub not in seen]
        seen.update(new)
        pending += new
