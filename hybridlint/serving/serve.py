"""The bundled runtime under the name mxnet: ``import mxnet.gluon.nn`` gives hybridlint.runtime.gluon.nn itself.

One finder on `sys.meta_path` answers for both names of each module. Whatever is loaded from the runtime is known by its
mxnet name too, and says that name when asked (``F.__name__`` is "mxnet.ndarray"): user code must not see a difference.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

from hybridlint.serving import transitive_names as incidental

SERVED = "mxnet"
RUNTIME = "hybridlint.runtime"


def serve() -> None:
    """Serve the runtime as mxnet in this process from now on; an installed mxnet is out of reach. Idempotent."""
    # Projects name it without importing it, since importing mxnet does.
    importlib.import_module("multiprocessing.pool")
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
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
    """Loads a module of the runtime and makes it known by its mxnet name."""

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
    """Gives a module of the runtime for its mxnet name."""

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
        # Without the attribute `name`: `from mxnet import x` would swallow the sentence and invent another.
        raise ModuleNotFoundError(f"the bundled runtime has no {name} yet") from None
    return _alias_spec(name, module)


def _alias_spec(name: str, module: ModuleType) -> ModuleSpec:
    spec = ModuleSpec(name, _Alias(module), origin=vars(module).get("__file__"))
    spec.has_location = spec.origin is not None
    spec.submodule_search_locations = vars(module).get("__path__")
    return spec


def _rename(real: str, module: ModuleType) -> None:
    """Let a module and the classes that it defines say that they are of mxnet."""
    served = SERVED + real.removeprefix(RUNTIME)
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == real:
            value.__module__ = served
    module.__name__ = served
    module.__spec__ = _alias_spec(served, module)
    module.__package__ = module.__spec__.parent
    sys.modules[served] = module
    incidental.give(module, served)


def _below(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")
