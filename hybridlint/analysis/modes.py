"""Operators that do something else in train mode, and the arguments for which they do not."""

from __future__ import annotations

from hybridlint.analysis.events import Arguments
from hybridlint.analysis.operators import argument, constant
from hybridlint.analysis.tables import words
from hybridlint.analysis.values import Value

_OPERATORS = words("Dropout dropout BatchNorm batch_norm RNN rnn LeakyReLU leaky_relu")
#: Kinds of LeakyReLU whose slopes are not drawn.
_FIXED_SLOPES = words("leaky prelu elu selu gelu")


def operator_asks(name: str, arguments: Arguments) -> bool:
    """Return whether a call of an operator may do something else in train mode."""
    if name not in _OPERATORS:
        return False
    match name.lower():
        case "dropout":
            always = constant(argument(arguments, "mode", 2)) == "always"
            return _drops(argument(arguments, "p", 1)) and not always
        case "rnn":
            rate = arguments.keywords.get("p")
            return rate is not None and _drops(rate)
        case "leakyrelu" | "leaky_relu":
            kind = arguments.keywords.get("act_type")
            return kind is not None and constant(kind) not in _FIXED_SLOPES
        case _:
            return constant(arguments.keywords.get("use_global_stats")) is not True


def _drops(rate: Value | None) -> bool:
    """Whether something is dropped at a rate: at any but 0."""
    known = constant(rate)
    return type(known) not in {int, float} or bool(known)
