"""The operations that a function of numpy mode needs, for eager arrays or for symbols of a trace."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hybridlint.runtime.core.namespaces import complete_on_request

if TYPE_CHECKING:
    from types import ModuleType

#: Kinds of a number that a tensor can be combined with.
NUMBERS = (int, float, bool, np.generic)


class NumpyWorld(Protocol):
    """Runs or traces operators."""

    #: Whether operators run at once.
    eager: bool

    def is_tensor(self, value: Any) -> bool:
        """Whether the value is a tensor of numpy mode in this world."""

    def call(self, name: str, /, *inputs: Any, out: Any = None, hint: str | None = None, **params: Any) -> Any:
        """Call an operator; None keeps a parameter's default. Raises MXNetError, TypeError, AssertionError."""

    def with_number(self, name: str, tensor: Any, number: Any, out: Any = None, *, reflected: bool = False) -> Any:
        """Call the operator of a tensor and a number. Raises MXNetError, TypeError."""


Function = Callable[..., Any]


def bind_world(function: Function, world: NumpyWorld, name: str) -> Function:
    """Return the function with its world filled in."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(world, *args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = function.__doc__
    signature = inspect.signature(function)
    call.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])  # type: ignore[attr-defined]
    return call


def collect(*modules: ModuleType) -> dict[str, Function]:
    """Return the functions that modules export in ``FUNCTIONS``, by public name."""
    found: dict[str, Function] = {}
    for module in modules:
        found.update(module.FUNCTIONS)
    return found


def fill(
    module: dict[str, Any], functions: Mapping[str, Function], world: NumpyWorld, lacks: Collection[str] = ()
) -> tuple[Any, Any]:
    """Return a module's ``__getattr__`` and ``__dir__`` that bind functions when they are first asked for.

    The module has none of those that it `lacks`. Its ``__dict__`` holds all the others once code asks for it.
    """
    functions = {name: function for name, function in functions.items() if name not in lacks}
    complete_on_request(module)

    def find(name: str) -> Any:
        if name == "__all__":
            return sorted(functions)
        if name in functions:
            module[name] = bind_world(functions[name], world, name)
            return module[name]
        path = f"{module['__name__']}.{name}"
        if name in module.get("_SUBMODULES", ()):
            return importlib.import_module(path)
        raise AttributeError(f"module '{module['__name__']}' has no attribute '{name}'")

    def listing() -> list[str]:
        return sorted({*(n for n in module if not n.startswith("_")), *functions, *module.get("_SUBMODULES", ())})

    return find, listing
