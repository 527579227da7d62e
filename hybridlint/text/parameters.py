"""The parameters of a function by name: all, the required ones, and the default values of others."""

from __future__ import annotations

import ast


def names_of(spec: ast.arguments) -> list[str]:
    """Return the names of a function's parameters, those that only keywords reach last; ``*args`` is none."""
    return [parameter.arg for parameter in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]


def defaults_of(spec: ast.arguments) -> dict[str, ast.expr]:
    """Return the default values of a function's parameters by name, in the order of the code."""
    positional = [parameter.arg for parameter in (*spec.posonlyargs, *spec.args)]
    defaults = dict(zip(positional[len(positional) - len(spec.defaults) :], spec.defaults, strict=True))
    alone = zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
    return defaults | {parameter.arg: default for parameter, default in alone if default is not None}


def required_of(spec: ast.arguments) -> list[str]:
    """Return the names of the positional parameters that every call must give: those without a default value."""
    positional = [parameter.arg for parameter in (*spec.posonlyargs, *spec.args)]
    return positional[: len(positional) - len(spec.defaults)]
