"""Serving the bundled runtime as mxnet: ``import mxnet.gluon.nn`` gives hybridlint.runtime.gluon.nn itself.

One finder on `sys.meta_path` handles both names of each module. Each module of the runtime is registered under its
mxnet name too, and reports that name (``F.__name__`` is "mxnet.ndarray"), so that user code sees no difference.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

from hybridlint.launch import transitive_names

SERVED = "mxnet"
RUNTIME = "hybridlint.runtime"


def serve() -> None:
    """Serve the runtime as mxnet in this process from now on, hiding any installed mxnet.

    Called again, it puts the finder of its modules before those that others have put there since.
    """
    # Some projects use it without an import, because importing the real mxnet imports it.
    importlib.import_module("multiprocessing.pool")
    ours = next((finder for finder in sys.meta_path if isinstance(finder, _Finder)), None)
    if ours is not None:
        sys.meta_path.remove(ours)
        sys.meta_path.insert(0, ours)
    else:
        sys.meta_path.insert(0, _Finder())
        for name, module in list(sys.modules.items()):
            if _below(name, RUNTIME):
                _rename(name, module)


class _Finder(MetaPathFinder):
    """Finds modules of the runtime by either name."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec for a module of mxnet or of the runtime, None for all others."""
        if _below(fullname, SERVED):
            return _served_spec(fullname)
        if not _below(fullname, RUNTIME):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Renaming(spec.loader)
        return spec


class _Renaming(Loader):
    """Loads a module of the runtime and registers it under its mxnet name."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Create the module as its own loader does."""
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module under its real name, then rename it."""
        name = module.__name__
        self.loader.exec_module(module)
        _rename(name, module)


class _Alias(Loader):
    """A loader that returns the module of the runtime for its mxnet name."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module that is already there."""
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module as it is: it ran when it was loaded under its real name."""


def _served_spec(name: str) -> ModuleSpec:
    real = RUNTIME + name.removeprefix(SERVED)
    try:
        module = importlib.import_module(real)
    except ModuleNotFoundError as error:
        if error.name is None or not _below(real, error.name):
            raise
        made = transitive_names.module_of(name)
        if made is not None:
            return _alias_spec(name, made)
        # No attribute `name`: otherwise `from mxnet import x` replaces this message by its own.
        raise ModuleNotFoundError(f"the bundled runtime has no {name} yet") from None
    return _alias_spec(name, module)


def _alias_spec(name: str, module: ModuleType) -> ModuleSpec:
    held = transitive_names.own_names(module)
    spec = ModuleSpec(name, _Alias(module), origin=held.get("__file__"))
    spec.has_location = spec.origin is not None
    spec.submodule_search_locations = held.get("__path__")
    return spec


def _rename(real: str, module: ModuleType) -> None:
    """Give a module and its classes their mxnet name."""
    served = SERVED + real.removeprefix(RUNTIME)
    for value in list(transitive_names.own_names(module).values()):
        if isinstance(value, type) and value.__module__ == real:
            value.__module__ = served
            transitive_names.complete(value)
    module.__name__ = served
    module.__spec__ = _alias_spec(served, module)
    module.__package__ = module.__spec__.parent
    sys.modules[served] = module
    transitive_names.give(module, served)


def _below(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")
