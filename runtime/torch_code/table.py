"""The table of translations: for each operator a function that writes its call in PyTorch.

An operator that another name derives from, and that computes by the same kernel, shares the translation.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.torch_code.call import OperatorCall

#: From a call to an expression; one of several outputs is a tuple. Raises NoTranslationError.
Translate: TypeAlias = Callable[[OperatorCall], str]

_by_name: dict[str, Translate] = {}


def translates(*names: str) -> Callable[[Translate], Translate]:
    """Register a function as the translation of the operators with these names (MXNet's, as in symbol JSON)."""

    def register(function: Translate) -> Translate:
        for name in names:
            _by_name[name] = function
        return function

    return register


@cache
def _loaded() -> dict[Operator, Translate]:
    """Return the translation of every operator that has one. Raises KeyError if a name is that of no operator."""
    package = importlib.import_module("hybridlint.runtime.torch_code.operators")
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
    own = {registry.get(name): translate for name, translate in _by_name.items()}
    by_kernel = {operator.kernel: translate for operator, translate in own.items()}
    derived = {o: by_kernel[o.kernel] for o in registry.operators() if o.kernel in by_kernel}
    return {**derived, **own}


def translation_of(operator: Operator) -> Translate | None:
    """Return the translation of an operator, None if it has none."""
    return _loaded().get(operator)
