"""Stand-ins for modules that are not installed or not built, so that a file that imports them can still be loaded.

Blocks of such a file that never use these modules can be proved.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import re
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from hybridlint.proving.child.stand_ins import StandIn
from hybridlint.proving.child.unbuilt_modules import is_build, names_of_build, not_built, unbuilt_file

#: Modules that a proof cannot do without; a stand-in for one would only hide the real problem.
NEEDED = ("mxnet", "numpy", "hybridlint")
_NOT_IN_PACKAGE = re.compile(r"cannot import name '(\w+)' from")


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """An import finder for modules named as absent: every attribute of such a module is a stand-in.

    While a file is being imported its stand-ins may be called, for example as decorators. Once `loaded` is set, using
    one raises. `roots` are the folders in which the project's own modules are.
    """

    def __init__(self, roots: Sequence[str] = ()) -> None:
        self.roots = roots
        self.names: list[str] = []
        #: The file that is there for each module of the project that is not built.
        self.unbuilt: dict[str, str] = {}
        self.loaded = False
        sys.meta_path.append(self)

    def add(self, error: ImportError) -> ModuleNotFoundError | None:
        """Replace the module that an import lacked by a stand-in from now on.

        Return the error that says what is lacking, None if the module is needed or already replaced.
        """
        name = self._lacking(error)
        if name is None:
            return None
        file = unbuilt_file(name, self.roots)
        self.names.append(name)
        if file is not None:
            self.unbuilt[name] = file
        return self.error(name).with_traceback(error.__traceback__)

    def may_add(self, error: BaseException) -> bool:
        """Whether a stand-in may replace what an import lacked: no proof needs it, and none replaces it yet."""
        return isinstance(error, ImportError) and self._lacking(error) is not None

    def may_add_unbuilt(self, error: BaseException) -> bool:
        """Whether an import lacked a module that is not built and has no stand-in yet."""
        name = self._lacking(error) if isinstance(error, ImportError) else None
        return name is not None and unbuilt_file(name, self.roots) is not None

    def error(self, module: str) -> ModuleNotFoundError:
        """Return the error to raise where a module is used of which there is only a stand-in."""
        name = self._unbuilt(module)
        if name is None:
            return ModuleNotFoundError(f"No module named {module!r}", name=module)
        return ModuleNotFoundError(not_built(name, self.unbuilt[name]), name=name)

    def may_decide(self, module: str) -> bool:
        """Whether names of a module may decide something while the file is imported.

        Many a script asks an installed library only for the device; the project's own modules decide what it computes.
        """
        return self._unbuilt(module) is None

    def _unbuilt(self, module: str) -> str | None:
        """Return the module of the project that is not built and that this is, or is in."""
        return next((name for name in self.unbuilt if module == name or module.startswith(f"{name}.")), None)

    def _lacking(self, error: ImportError) -> str | None:
        # User code may raise such an error with anything in it.
        name = error.name if isinstance(error.name, str) else ""
        if isinstance(error, ModuleNotFoundError):
            names = [name] if name else []
        else:
            names = [one for one in self._not_built(name, error) if unbuilt_file(one, self.roots) is not None]
        return next((one for one in names if one.split(".")[0] not in NEEDED and one not in self.names), None)

    def _not_built(self, package: str, error: ImportError) -> list[str]:
        """Return the modules of the project that an error may be about, if it does not say that one is not found.

        ``from . import _fast`` fails so for a module that is not there, and every import of a build that cannot be
        loaded.
        """
        if isinstance(error.path, str) and is_build(error.path):
            return list(names_of_build(error.path, self.roots))
        found = _NOT_IN_PACKAGE.match(str(error))
        return [f"{package}.{found[1]}"] if found and package else []

    def find_spec(self, fullname: str, path: Sequence[Any] | None = None, target: ModuleType | None = None) -> Any:
        """Return a spec for an absent module or a submodule of one, None for all others."""
        if any(fullname == name or fullname.startswith(f"{name}.") for name in self.names):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> ModuleType:
        """Return a module in which every attribute exists."""
        module = ModuleType(spec.name)
        vars(module)["__getattr__"] = lambda name: self.attribute(spec.name, name)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module has no code."""

    def attribute(self, module: str, name: str) -> Any:
        """Return the stand-in for a name of a module. Raises AttributeError for the names that Python asks for."""
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return StandIn(name, (), {"__module__": module, "_absent": (self, module)})
