"""Operators that code passes on as functions, without calling them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridlint.converting.context import ConversionContext
from hybridlint.converting.gluon_names import dotted_name
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.text import cst

if TYPE_CHECKING:
    import libcst

#: The arguments of the functions that are written.
_NAMES = ("x", "y", "z")


def function_text(context: ConversionContext, operator: Operator, given: Sequence[libcst.Arg] = ()) -> str:
    """Return an operator as a function of its inputs, with some arguments `given`. Raises NoTranslationError."""
    least = 1 if not operator.variadic else len(_NAMES) + 1
    for count in range(least, min(len(operator.inputs), len(_NAMES)) + 1):
        names = _NAMES[:count]
        inputs = [cst.Arg(cst.Name(name)) for name in names]
        try:
            text = context.operator_call(operator, [*inputs, *given], ())
        except NoTranslationError as error:
            if "is called without its input" not in error.reason:
                raise
            continue
        listed = ", ".join(names)
        plain = re.fullmatch(rf"([\w.]+)\({listed}\)", text)
        return plain[1] if plain else f"lambda {listed}: {text}"
    raise NoTranslationError(f"`{operator.name}` as a function")


def partial_text(context: ConversionContext, original: libcst.Call, updated: libcst.Call) -> str | None:
    """Return `functools.partial` of an operator as a function, None for other calls. Raises NoTranslationError."""
    if context.path(original.func) != "functools.partial" or not original.args:
        return None
    meaning = context.meaning(original.args[0].value) if dotted_name(original.args[0].value) else None
    if meaning is None or meaning.operator is None:
        return None
    return function_text(context, meaning.operator, updated.args[1:])
