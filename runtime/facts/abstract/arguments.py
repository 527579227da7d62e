"""Constructor arguments of layers: constants, other layers, and unknown values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import CO_VARKEYWORDS
from typing import Any

from hybridlint.runtime.facts.abstract.blocks import Block
from hybridlint.runtime.facts.abstract.choices import Open
from hybridlint.runtime.facts.records import record

#: Stands for an argument whose value is unknown.
UNKNOWN: Any = type("UnknownArgument", (), {"__repr__": lambda self: "?"})()


@record(frozen=True, slots=True)
class Arguments:
    """Constructor arguments, positional and by keyword."""

    values: tuple[Any, ...]
    keywords: Mapping[str, Any]


@record(frozen=True, slots=True)
class Inner:
    """An argument that is itself a layer: its class and its constructor arguments."""

    made: type[Block]
    arguments: Arguments


def build(made: type[Block], arguments: Arguments) -> Block:
    """Return a new layer. Raises what its constructor raises."""
    keywords = {name: _value(value) for name, value in arguments.keywords.items()}
    return made(*map(_value, arguments.values), **keywords)


def argument_names(made: type[Block]) -> tuple[str, ...]:
    """Return the parameter names of a class's constructor."""
    code = made.__init__.__code__
    return code.co_varnames[1 : code.co_argcount]


def takes_any(made: type[Block]) -> bool:
    """Whether a class's constructor passes unnamed keyword arguments on."""
    return bool(made.__init__.__code__.co_flags & CO_VARKEYWORDS)


def substitute_unknowns(made: type[Block], arguments: Arguments) -> Iterator[Arguments]:
    """Yield copies of the arguments with unknown ones replaced: by their defaults, then by values near those."""
    names, defaults = argument_names(made), made.__init__.__defaults__ or ()
    preset = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    named = dict(zip(names, arguments.values, strict=False))
    given = {**dict.fromkeys(names, UNKNOWN), **preset, **named, **arguments.keywords}
    unknown = {name for name, value in given.items() if value is UNKNOWN and name in preset}
    for other in (False, True):
        yield Arguments((), given | {name: _neighbour(preset[name]) if other else preset[name] for name in unknown})


def _value(argument: Any) -> Any:
    if argument is UNKNOWN:
        return Open.new()
    if isinstance(argument, Inner):
        return build(argument.made, argument.arguments)
    return tuple(map(_value, argument)) if isinstance(argument, tuple) else argument


def _neighbour(default: Any) -> Any:
    if isinstance(default, bool):
        return not default
    return default + 1 if isinstance(default, int) else default
