"""Operator namespaces such as ``nd``, ``nd.contrib`` and ``sym.linalg``, filled from the registry on demand."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType, ModuleType
from typing import Any

from hybridlint.runtime.core import missing
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.registry import Operator

#: Namespace below nd and sym -> prefix of MXNet's operator names.
PREFIXES = {
    "": "",
    "op": "",
    "contrib": "_contrib_",
    "linalg": "_linalg_",
    "image": "_image_",
    "sparse": "_sparse_",
    "_internal": "_",
}

#: Names of the numpy-mode modules below nd and sym -> module.
NUMPY_MODE = {"np": "numpy", "npx": "numpy_extension", "numpy": "numpy", "numpy_extension": "numpy_extension"}


def find(namespace: str, name: str) -> Operator | None:
    """Return the operator of this name in a namespace."""
    full = full_name(namespace, name)
    return None if full is None else registry.find(full)


def full_name(namespace: str, name: str) -> str | None:
    """Return the full name of the operator called `name` in a namespace; None if no operator can be called so."""
    if name.startswith("_") != (namespace == "_internal") or name.startswith("_hl_"):
        return None
    return name if namespace == "_internal" else PREFIXES[namespace] + name


def names_in(namespace: str) -> list[str]:
    """Return the operator names of a namespace, including those missing in this runtime."""
    prefix = PREFIXES[namespace]
    everything = (*registry.names(), *missing.MISSING)
    if namespace == "_internal":
        return sorted(n for n in everything if n.startswith("_") and not n.startswith("_hl_"))
    found = {n.removeprefix(prefix) for n in everything if n.startswith(prefix)}
    return sorted(n for n in found if not n.startswith("_"))


def fill(
    namespace: str,
    make: Callable[[Operator, str], Any],
    module: dict[str, Any],
    submodules: Mapping[str, str] = MappingProxyType({}),
    functions: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Any, Any]:
    """Return a module's ``__getattr__`` and ``__dir__``, which find operators and cache the functions in `module`.

    `submodules` are names of modules below it, `functions` names of functions with their modules; both are imported on
    first use. ``__getattr__`` raises AttributeError as a module does. Operators that this runtime lacks are functions
    that raise. The module's ``__dict__`` holds all of them once code asks for it, as in MXNet.
    """
    complete_on_request(module)

    def listing() -> list[str]:
        return sorted({*(n for n in module if not n.startswith("__")), *names_in(namespace), *submodules, *functions})

    def find_attribute(name: str) -> Any:
        if name == "__all__":
            return [n for n in listing() if not n.startswith("_")]
        if name in submodules:
            module[name] = found = importlib.import_module(f"{module['__name__']}.{submodules[name]}")
            return found
        if name in functions:
            module[name] = function = getattr(importlib.import_module(functions[name]), name)
            return function
        op = None if name.startswith("__") else find(namespace, name)
        function = _refused(namespace, name, module) if op is None else make(op, name)
        if function is None:
            raise AttributeError(f"module '{module['__name__']}' has no attribute '{name}'")
        module[name] = function
        return function

    return find_attribute, listing


class _Namespace(ModuleType):
    """A module whose ``__dict__`` holds all that ``dir`` names: made when it is asked for, as making it takes time."""

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        """The module's names and values."""
        known: dict[str, Any] = _MODULE_DICT.__get__(self)
        if not getattr(known.get("__spec__"), "_initializing", False):
            for name in known["__dir__"]():
                if name not in known:
                    known[name] = getattr(self, name)
        return known


#: Programs that ask for the name of the type see that of other modules.
_Namespace.__name__ = ModuleType.__name__

#: The attribute that `_Namespace` overrides.
_MODULE_DICT: Any = vars(ModuleType)["__dict__"]


def complete_on_request(module: Mapping[str, Any]) -> None:
    """Let the ``__dict__`` of the module with these globals hold all its operators, for code that reads it."""
    sys.modules[module["__name__"]].__class__ = _Namespace


def _refused(namespace: str, name: str, module: Mapping[str, Any]) -> Any:
    """Return the stand-in for an operator that this runtime lacks; None if MXNet lacks it too."""
    full = None if name.startswith("__") else full_name(namespace, name)
    about = None if full is None else missing.reason(full)
    return None if about is None else missing.refusal(f"{module['__name__'].removeprefix(_ROOT)}.{name}", about)


_ROOT = "hybridlint.runtime."
