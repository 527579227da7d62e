"""Which dtype operators compute in where precision is mixed: in calls as they are made, and in graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.registry import Operator

Kind = Literal["narrow", "wide", "widest"]
#: Operator, parameter, and its values for which the operator computes in float32.
Condition = tuple[str, str, Sequence[str]]

WIDE = "float32"


class Precision:
    """The precision of each operator. An operator without a list computes in its inputs' precision."""

    def __init__(
        self,
        narrow: Sequence[str],
        wide: Sequence[str],
        widest: Sequence[str],
        conditional: Sequence[Condition],
        losses: Sequence[str] = (),
        dtype: str = "float16",
    ) -> None:
        self.dtype = dtype
        self._kinds: dict[str, Kind] = {}
        kinds: tuple[tuple[Kind, Sequence[str]], ...] = (("widest", widest), ("wide", wide), ("narrow", narrow))
        for kind, names in kinds:
            self._kinds.update({_own_name(name): kind for name in names})
        self._conditional = [(_own_name(name), parameter, tuple(values)) for name, parameter, values in conditional]
        self.losses = frozenset(map(_own_name, losses))

    def kind(self, op: Operator, params: Mapping[str, Any]) -> Kind | None:
        """Return the kind of an operator's precision for a call with these parameters."""
        for name, parameter, values in self._conditional:
            if name == op.name and str(params.get(parameter)) in values:
                return "wide"
        return self._kinds.get(op.name)


def _own_name(name: str) -> str:
    """Return the name of the operator that MXNet's lists call `name`."""
    op = registry.find(name)
    return name if op is None else op.name


#: Casts the inputs of a call of NDArrays or Symbols, ``(operator, inputs, parameters) -> inputs``; None casts none.
Cast = Callable[[Operator, "list[Any]", Mapping[str, Any]], "list[Any]"]
arrays: Cast | None = None
symbols: Cast | None = None


def mix(of_arrays: Cast, of_symbols: Cast) -> None:
    """Cast the inputs of all calls from here on."""
    global arrays, symbols
    arrays, symbols = of_arrays, of_symbols
