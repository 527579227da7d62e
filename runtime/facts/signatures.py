"""The signature of a kernel: inputs and parameters, derived from the function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from hybridlint.runtime.facts.records import record

Kernel: TypeAlias = Callable[..., Any]

RESERVED = ("out", "training", "rng", "eager")
REQUIRED: Any = type("Required", (), {"__repr__": lambda self: "<required>"})()

_POSITIONAL_REST = 0x04  # CO_VARARGS
_KEYWORD_REST = 0x08  # CO_VARKEYWORDS


class RegistryError(TypeError):
    """An operator's definition is incomplete or contradictory."""


@record(frozen=True, slots=True)
class Param:
    """A keyword parameter of an operator. `default` is `REQUIRED` if there is none."""

    name: str
    annotation: str
    default: Any

    @property
    def required(self) -> bool:
        """Whether calls must pass the parameter."""
        return self.default is REQUIRED

    @property
    def nullable(self) -> bool:
        """Whether None is a valid value."""
        return self.annotation == "Axes" or self.annotation.endswith("| None")


class KernelSignature(NamedTuple):
    """The inputs of a kernel (one name if it takes any number of them), its parameters and its reserved names."""

    inputs: tuple[str, ...]
    variadic: bool
    optional: tuple[str, ...]
    params: dict[str, Param]
    reserved: frozenset[str]


def read_signature(kernel: Kernel) -> KernelSignature:
    """Return a kernel's inputs, parameters and reserved names; a hundred times faster than inspect.signature."""
    code = kernel.__code__
    given = code.co_varnames
    positional = given[: code.co_argcount]
    keywords = given[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    variadic = bool(code.co_flags & _POSITIONAL_REST)
    if (
        not positional
        or positional[0] != "xp"
        or code.co_argcount != code.co_posonlyargcount + (1 if variadic and not code.co_posonlyargcount else 0)
    ):
        raise RegistryError(f"{kernel.__name__}: a kernel is (xp, *inputs, /, *, parameters)")
    inputs = (given[code.co_argcount + code.co_kwonlyargcount],) if variadic else positional[1:]
    optional = positional[len(positional) - len(kernel.__defaults__ or ()) :]
    defaults = kernel.__kwdefaults__ or {}
    notes = kernel.__annotations__
    params = {
        name: Param(name, str(notes.get(name, "Any")), defaults.get(name, REQUIRED))
        for name in keywords
        if name not in RESERVED
    }
    return KernelSignature(inputs, variadic, optional, params, frozenset(keywords) & frozenset(RESERVED))


def keyword_names(function: Callable[..., Any] | None) -> frozenset[str] | None:
    """Return the names of a function's keyword-only parameters; None if it takes any keyword."""
    if function is None:
        return frozenset()
    code = function.__code__
    if code.co_flags & _KEYWORD_REST:
        return None
    return frozenset(code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])


def counter(number: int | Callable[..., int]) -> Callable[[Mapping[str, Any]], int]:
    """Return a function from all parameters to the number of outputs; `number` is constant or a function of some."""
    if isinstance(number, int):
        return lambda params: number
    accepted, count = keyword_names(number), number
    return lambda params: count(**(params if accepted is None else {k: v for k, v in params.items() if k in accepted}))


def selector(
    choose: Callable[..., tuple[str, ...]] | None, inputs: tuple[str, ...]
) -> Callable[[Mapping[str, Any]], tuple[str, ...]]:
    """Return a function from all parameters to the inputs that a call needs; always `inputs` if `choose` is None."""
    if choose is None:
        return lambda params: inputs
    accepted, select = keyword_names(choose), choose
    return lambda params: select(**(params if accepted is None else {k: v for k, v in params.items() if k in accepted}))
