"""How initializers of MXNet are written in PyTorch: a statement that sets a parameter."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any

from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.texts import infix, number

_PLAIN = {"zeros": "zeros_", "zero": "zeros_", "ones": "ones_", "one": "ones_"}
#: Parameters of initializers by position, with their defaults.
_PARAMETERS: dict[str, dict[str, Any]] = {
    "zero": {}, "zeros": {}, "one": {}, "ones": {}, "constant": {"value": None}, "normal": {"sigma": 0.01},
    "uniform": {"scale": 0.07}, "xavier": {"rnd_type": "uniform", "factor_type": "avg", "magnitude": 3},
    "msraprelu": {"factor_type": "avg", "slope": 0.25}, "orthogonal": {"scale": 1.414, "rand_type": "uniform"},
}  # fmt: skip


def initial_value(text: str, parameter: str) -> str:
    """Return the statement that sets a parameter as an initializer does, given by its text.

    Raises NoTranslationError for initializers that `torch.nn.init` lacks.
    """
    kind, given = _read(text)
    if kind in _PLAIN:
        return f"nn.init.{_PLAIN[kind]}({parameter})"
    if kind == "constant":
        return f"nn.init.constant_({parameter}, {given['value']})"
    if kind == "normal":
        return f"nn.init.normal_({parameter}, std={given['sigma']})"
    if kind == "uniform":
        return f"nn.init.uniform_({parameter}, -{given['scale']}, {given['scale']})"
    if kind == "xavier":
        return _xavier(parameter, given)
    if kind == "msraprelu":
        return _kaiming(parameter, given)
    if kind == "orthogonal":
        return f"nn.init.orthogonal_({parameter}, gain={given['scale']})"
    raise NoTranslationError(f"the initializer `{text}`")


def _read(text: str) -> tuple[str, Mapping[str, str]]:
    """Return the name of an initializer in small letters and the texts of its arguments, those left out included."""
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.lower(), _completed(node.value.lower(), {})
    if not isinstance(node, ast.Call):
        raise NoTranslationError(f"the initializer `{text}`")
    kind = ast.unparse(node.func).rpartition(".")[2].lower()
    names = list(_PARAMETERS.get(kind, ()))
    if len(node.args) > len(names):
        raise NoTranslationError(f"the initializer `{text}`")
    given = {names[k]: ast.unparse(argument) for k, argument in enumerate(node.args)}
    given |= {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords if keyword.arg}
    return kind, _completed(kind, given)


def _completed(kind: str, given: Mapping[str, str]) -> Mapping[str, str]:
    return {**{name: repr(value) for name, value in _PARAMETERS.get(kind, {}).items()}, **given}


def _xavier(parameter: str, given: Mapping[str, str]) -> str:
    """Return the statement for Xavier: its variance is magnitude over the mean of both sizes, or over one of them."""
    try:
        kind, factor, magnitude = (ast.literal_eval(given[key]) for key in ("rnd_type", "factor_type", "magnitude"))
    except ValueError:
        raise NoTranslationError("`Xavier` whose arguments are not literals") from None
    if factor == "avg":
        # PyTorch's bound is gain * sqrt(6 / (in + out)), its deviation gain * sqrt(2 / (in + out)).
        squared = magnitude / 3 if kind == "uniform" else magnitude
        gain = "" if squared == 1 else f", gain={_root(squared)}"
        return f"nn.init.xavier_{'uniform' if kind == 'uniform' else 'normal'}_({parameter}{gain})"
    mode = "fan_in" if factor == "in" else "fan_out"
    # With its default, PyTorch's bound is sqrt(6 / size), its deviation sqrt(2 / size).
    if magnitude == (6 if kind == "uniform" else 2):
        more = "" if mode == "fan_in" else ', mode="fan_out"'
        return f"nn.init.kaiming_{'uniform' if kind == 'uniform' else 'normal'}_({parameter}{more})"
    raise NoTranslationError("`Xavier` of one size with that magnitude")


def _root(value: float) -> str:
    root = math.sqrt(value)
    return number(root) if root == int(root) else f"math.sqrt({number(value)})"


def _kaiming(parameter: str, given: Mapping[str, str]) -> str:
    """Return the statement for MSRAPrelu: the deviation is sqrt(2 / (1 + slope ** 2) / size)."""
    factor, slope = given["factor_type"].strip("'\""), given["slope"]
    if factor == "avg":
        gain = f"math.sqrt({infix('2', '/', f'(1 + {slope} ** 2)')})"
        return f"nn.init.xavier_normal_({parameter}, gain={gain})"
    mode = "" if factor == "in" else ', mode="fan_out"'
    plain = "" if slope in ("0", "0.0") else f", a={slope}"
    return f"nn.init.kaiming_normal_({parameter}{plain}{mode})"
