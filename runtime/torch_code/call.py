"""A call of an operator or layer to translate: the texts of its arguments, with known values."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.signatures import REQUIRED
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.texts import literal, receiver

#: The value of an argument that is no literal.
UNKNOWN: Any = type("Unknown", (), {"__repr__": lambda self: "<unknown>"})()


@record(frozen=True, slots=True)
class ArgumentText:
    """An argument: its text in the new module, and its value if it is a literal."""

    text: str
    value: Any = UNKNOWN

    @classmethod
    def of(cls, text: str) -> ArgumentText:
        """Return the argument for a text, with its value if that is a literal."""
        try:
            return cls(text, ast.literal_eval(text))
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return cls(text)

    @property
    def known(self) -> bool:
        """Whether the value is known."""
        return self.value is not UNKNOWN


class OperatorCall:
    """A call of an operator, with the shapes and dtypes of its inputs, None where one is unknown."""

    def __init__(
        self,
        operator: Operator,
        inputs: Sequence[ArgumentText | None],
        params: Mapping[str, ArgumentText],
        shapes: Sequence[Sequence[int] | None] = (),
        *,
        counts: Mapping[int, int] | None = None,
        dtypes: Sequence[str | None] = (),
    ) -> None:
        self.operator = operator
        self.inputs = list(inputs)
        self.params = params
        self.shapes = shapes
        self.counts = counts or {}
        self.dtypes = dtypes

    @property
    def x(self) -> str:
        """The first input, in a form that a method can follow."""
        return receiver(self.arg(0))

    def arg(self, index: int) -> str:
        """Return the text of an input."""
        found = self.inputs[index] if index < len(self.inputs) else None
        if found is None:
            raise NoTranslationError(f"`{self.operator.name}` is called without its input {index + 1}")
        return found.text

    def has_input(self, index: int) -> bool:
        """Whether an input is given."""
        return index < len(self.inputs) and self.inputs[index] is not None and self.arg(index) != "None"

    def given(self, name: str) -> bool:
        """Whether a parameter is given, with another value than its default."""
        return name in self.params and not (
            self.params[name].known and _equals(self.params[name].value, self.operator.params[name].default)
        )

    def text(self, name: str) -> str:
        """Return the text of a parameter, that of its default if it is not given."""
        if name in self.params:
            return self.params[name].text
        return literal(self._default(name))

    def value(self, name: str) -> Any:
        """Return the value of a parameter. Raises NoTranslationError if it is no literal."""
        if name not in self.params:
            return self._default(name)
        if not self.params[name].known:
            raise NoTranslationError(f"`{name}={self.params[name].text}` is not a literal")
        return self.params[name].value

    def flag(self, name: str) -> bool:
        """Return a parameter that is a truth value."""
        return bool(self.value(name))

    def is_default(self, *names: str) -> bool:
        """Whether none of these parameters has another value than its default."""
        return not any(self.given(name) for name in names)

    def only_default(self, *names: str) -> None:
        """Raise NoTranslationError if one of these parameters is given."""
        for name in names:
            if self.given(name):
                raise NoTranslationError(f"`{self.operator.name}` with `{name}={self.text(name)}`")

    def rank(self, index: int = 0) -> int | None:
        """Return the number of axes of an input, None if it is not known."""
        shape = self.shapes[index] if index < len(self.shapes) else None
        return None if shape is None else len(shape)

    def is_whole(self, index: int = 0) -> bool:
        """Whether an input is known to hold whole numbers."""
        dtype = self.dtypes[index] if index < len(self.dtypes) else None
        return dtype is not None and dtype.startswith(("int", "uint"))

    def needed_rank(self, index: int = 0) -> int:
        """Return the number of axes of an input. Raises NoTranslationError if it is not known."""
        rank = self.rank(index)
        if rank is None:
            raise NoTranslationError(f"the number of axes of `{self.arg(index)}` is not known")
        return rank

    def _default(self, name: str) -> Any:
        default = self.operator.params[name].default
        if default is REQUIRED:
            raise NoTranslationError(f"`{self.operator.name}` is called without `{name}`")
        return default


def _equals(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)
