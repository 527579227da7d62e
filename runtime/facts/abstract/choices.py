"""Unknown values, and exploring every path that code can take when it branches on them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, TypeVar

from hybridlint.runtime.facts.dims import Dim, DimLike, fresh_name

T = TypeVar("T")

#: Most paths to explore.
_MOST_WAYS = 16
#: Prefix of the names of unknown values. The names of quotients contain the names of their operands.
_MARK = "!"


class Choices:
    """The answers on one path through some code: first those in `script`, then always True."""

    def __init__(self, script: tuple[bool, ...]) -> None:
        self.taken: list[bool] = []
        self._script = script
        self._known: dict[object, bool] = {}

    def choose(self, question: object = None) -> bool:
        """Return the answer to a question on this path; equal questions get the same answer, None always a new one."""
        if question is not None and question in self._known:
            return self._known[question]
        at = len(self.taken)
        self.taken.append(self._script[at] if at < len(self._script) else True)
        if question is not None:
            self._known[question] = self.taken[at]
        return self.taken[at]


_choices: ContextVar[Choices] = ContextVar("choices")


class Open(Dim):
    """An unknown value. As a size it equals only itself; a comparison is explored with both results."""

    __slots__ = ()

    @staticmethod
    def new() -> Open:
        """Return an unknown value that equals only itself."""
        return Open((((_MARK + fresh_name(),), 1),))

    def __bool__(self) -> bool:
        return _choices.get().choose(self.terms)

    def __lt__(self, other: object) -> bool:
        return _choices.get().choose((self.terms, "<", str(other)))

    def __gt__(self, other: object) -> bool:
        return _choices.get().choose((self.terms, ">", str(other)))

    def __le__(self, other: object) -> bool:
        return not self > other

    def __ge__(self, other: object) -> bool:
        return not self < other

    def __add__(self, other: Any) -> Any:
        return super().__add__(other) if isinstance(other, int | Dim) else self

    __radd__ = __add__

    def __rfloordiv__(self, other: int) -> DimLike:
        return Open.new() if other else 0

    def __truediv__(self, other: object) -> Open:
        return self


def one_of(options: Sequence[T]) -> T:
    """Return one of the options. Each option is explored on a path of its own."""
    return next((option for option in options[:-1] if _choices.get().choose()), options[-1])


def is_open(size: DimLike) -> bool:
    """Whether a size depends on an unknown value."""
    return isinstance(size, Dim) and any(_MARK in name for names, _ in size.terms for name in names)


def ways(run: Callable[[], T], unfit: tuple[type[Exception], ...]) -> list[T]:
    """Return the result of `run` on every path through it. Paths that raise an exception in `unfit` are left out."""
    results: list[T] = []
    # Breadth first: if there are too many paths, each question is flipped once before two are flipped together.
    pending: deque[tuple[bool, ...]] = deque([()])
    for _ in range(_MOST_WAYS):
        if not pending:
            break
        script = pending.popleft()
        choices = Choices(script)
        before = _choices.set(choices)
        try:
            results.append(run())
        except unfit:
            pass
        finally:
            _choices.reset(before)
        pending += [(*choices.taken[:at], False) for at in range(len(script), len(choices.taken))]
    return results
