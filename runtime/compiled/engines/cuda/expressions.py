"""Functions of elements as statements of CUDA's C."""

from __future__ import annotations

from collections.abc import Mapping

from hybridlint.runtime.compiled.engines.cuda.functions import FUNCTIONS, literal
from hybridlint.runtime.compiled.lowering.uses import sources_before
from hybridlint.runtime.compiled.lowering.values import ArrayValue, Map, Number


class Statements:
    """Statements that compute values, each named once. `names` are the names of known values."""

    def __init__(self, names: Mapping[ArrayValue, str], first: int = 0) -> None:
        self.lines: list[str] = []
        self._names = dict(names)
        self._next = first

    def named(self, root: ArrayValue) -> str:
        """Return the name of a value, after the statements that compute it."""
        for value in sources_before(root, self._names):
            if value not in self._names:
                self._names[value] = self._computed(value)
        return self._names[root]

    def _computed(self, value: ArrayValue) -> str:
        if isinstance(value, Number):
            return literal(value.number)
        assert isinstance(value, Map)
        name = f"t{self._next}"
        self._next += 1
        kind = "bool" if value.predicate else "float"
        self.lines.append(f"const {kind} {name} = {self._expression(value)};")
        return name

    def _expression(self, value: Map) -> str:
        arguments = [self._names[argument] for argument in value.arguments]
        if value.function == "power" and isinstance(value.arguments[1], Number):
            return _power(arguments[0], value.arguments[1].number, arguments[1])
        return FUNCTIONS[value.function].format(*arguments)


def _power(base: str, exponent: float, written: str) -> str:
    """Return a power with a known exponent; squares, cubes and inverses are products."""
    match exponent:
        case 1.0:
            return base
        case 2.0:
            return f"{base} * {base}"
        case 3.0:
            return f"{base} * {base} * {base}"
        case -1.0:
            return f"1.0f / {base}"
        case _:
            return FUNCTIONS["power"].format(base, written)
