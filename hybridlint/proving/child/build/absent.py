"""Stand-ins for modules that are not installed: a file that imports them can still hold blocks that never use them."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

#: What a proof cannot do without: a stand-in would only hide what is wrong.
NEEDED = ("mxnet", "numpy", "hybridlint")


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds modules that were named absent, as modules whose every attribute is a stand-in.

    While a file is imported its stand-ins may be called, as decorators are; once it is `loaded` that raises.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.loaded = False
        sys.meta_path.append(self)

    def add(self, name: str | None) -> bool:
        """Take a module for absent from now on; return whether that can help."""
        if not name or name.split(".")[0] in NEEDED or name in self.names:
            return False
        self.names.append(name)
        return True

    def find_spec(self, fullname: str, path: Sequence[Any] | None = None, target: ModuleType | None = None) -> Any:
        """Return a spec for an absent module and all below it, None for all others."""
        if any(fullname == name or fullname.startswith(f"{name}.") for name in self.names):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> ModuleType:
        """Return a module that has every attribute."""
        module = ModuleType(spec.name)
        vars(module)["__getattr__"] = lambda name: self._attribute(spec.name, name)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""

    def _attribute(self, owner: str, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {owner!r} has no attribute {name!r}")
        return _StandIn(name, (), {"__module__": owner, "_absent": (self, owner)})


class _StandIn(type):
    """The kind of what stands in: a class, so that users' classes can derive from it."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        finder, owner = cls._absent
        return finder._attribute(owner, name)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        finder, owner = cls._absent
        if finder.loaded:
            raise ModuleNotFoundError(f"No module named '{owner}'", name=owner)
        # A decorator that only makes things faster gives back what it is given.
        return args[0] if len(args) == 1 and callable(args[0]) and not kwargs else cls
