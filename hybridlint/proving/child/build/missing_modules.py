"""Stand-ins for modules that are not installed, so that a file that imports them can still be loaded.

Blocks of such a file that never use these modules can be proved.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

#: Modules that a proof cannot do without; a stand-in for one would only hide the real problem.
NEEDED = ("mxnet", "numpy", "hybridlint")


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """An import finder for modules named as absent: every attribute of such a module is a stand-in.

    While a file is being imported its stand-ins may be called, for example as decorators. Once `loaded` is set, calling
    one raises.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.loaded = False
        sys.meta_path.append(self)

    def add(self, name: str | None) -> bool:
        """Replace a module by a stand-in from now on; return False if it is needed or already replaced."""
        if name is None or not self.may_add(name):
            return False
        self.names.append(name)
        return True

    def may_add(self, name: str | None) -> bool:
        """Whether a stand-in may replace a module: no proof needs the module, and none replaces it yet."""
        return bool(name) and str(name).split(".")[0] not in NEEDED and name not in self.names

    def find_spec(self, fullname: str, path: Sequence[Any] | None = None, target: ModuleType | None = None) -> Any:
        """Return a spec for an absent module or a submodule of one, None for all others."""
        if any(fullname == name or fullname.startswith(f"{name}.") for name in self.names):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> ModuleType:
        """Return a module in which every attribute exists."""
        module = ModuleType(spec.name)
        vars(module)["__getattr__"] = lambda name: self._attribute(spec.name, name)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module has no code."""

    def _attribute(self, owner: str, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {owner!r} has no attribute {name!r}")
        return _StandIn(name, (), {"__module__": owner, "_absent": (self, owner)})


class _StandIn(type):
    """The metaclass of stand-ins: they are classes, so that users' classes can derive from them."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        finder, owner = cls._absent
        return finder._attribute(owner, name)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        finder, owner = cls._absent
        if finder.loaded:
            raise ModuleNotFoundError(f"No module named '{owner}'", name=owner)
        # The missing decorator may only have made the function faster, so the function is returned unchanged.
        return args[0] if len(args) == 1 and callable(args[0]) and not kwargs else cls
