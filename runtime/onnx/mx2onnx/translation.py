"""Translations of operators: one function each, found by the operator's name.

An operator that another name derives from, and that computes by the same kernel, shares the translation.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.registry import Operator

if TYPE_CHECKING:
    from hybridlint.runtime.onnx.mx2onnx.call import OnnxCall

#: The version of the operators of ONNX that files are written in.
OPSET = 13
#: The version of the file format that belongs to it.
IR_VERSION = 7

#: From a call to the names of its outputs: one, or all in order. Outputs that cannot be had may be left out at the end.
Translate: TypeAlias = "Callable[[OnnxCall], str | list[str]]"


@dataclass(frozen=True, slots=True)
class Translation:
    """How an operator is written in ONNX. `constants` are the inputs whose values it must know."""

    translate: Translate
    constants: tuple[str, ...] = ()


_by_name: dict[str, Translation] = {}


def translates(*names: str, constants: tuple[str, ...] = ()) -> Callable[[Translate], Translate]:
    """Register a function as the translation of the operators with these names (MXNet's, as in symbol JSON)."""

    def register(function: Translate) -> Translate:
        for name in names:
            _by_name[name] = Translation(function, constants)
        return function

    return register


@cache
def _loaded() -> dict[Operator, Translation]:
    """Return the translation of every operator that has one. Raises KeyError if a name is that of no operator."""
    package = importlib.import_module("hybridlint.runtime.onnx.mx2onnx.operators")
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
    own = {registry.get(name): translation for name, translation in _by_name.items()}
    by_kernel = {operator.kernel: translation for operator, translation in own.items()}
    derived = {o: by_kernel[o.kernel] for o in registry.operators() if o.kernel in by_kernel}
    made = {o: Translation(partial(_constant, o)) for o in registry.operators() if _is_constant(o)}
    return {**made, **derived, **own}


def _is_constant(operator: Operator) -> bool:
    """Whether every call gives the numbers that its parameters say: it has no inputs, and draws nothing."""
    return not operator.inputs and not operator.random and not operator.modal and not operator.facts.eager_only


def _constant(operator: Operator, call: OnnxCall) -> str | list[str]:
    """Return the result of a call without inputs, computed by its kernel."""
    given = {name: value for name, value in call.params.items() if name in operator.params}
    results = operator.kernel(np, **given)
    if isinstance(results, tuple):
        return [call.array(result, result.dtype.name) for result in results]
    return call.array(results)


def translation_of(operator: Operator) -> Translation | None:
    """Return the translation of an operator, None if it has none."""
    return _loaded().get(operator)


def get_operator_support(opset_version: int | None = None) -> list[str]:
    """Return the names of the operators that can be exported, none for versions of ONNX before the one written."""
    if opset_version is not None and opset_version < OPSET:
        return []
    return sorted(operator.name for operator in _loaded() if not operator.internal)
