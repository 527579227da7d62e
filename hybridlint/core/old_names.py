"""Former names of public modules: importing one gives the module that took its place, with a warning."""

from __future__ import annotations

import importlib
import sys
import warnings
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType


class RenamedModule(Loader):
    """Loads the module that took the place of another."""

    def __init__(self, present_name: str) -> None:
        self.present_name = present_name

    def exec_module(self, module: ModuleType) -> None:
        """Put the present module into the place of the empty one that was made for the former name."""
        former = module.__name__
        warnings.warn(f"{former} is now {self.present_name}: import that", DeprecationWarning, stacklevel=2)
        sys.modules[former] = importlib.import_module(self.present_name)


def former_spec(name: str, present_name: str) -> ModuleSpec:
    """Return a spec by which importing `name` gives the module `present_name`."""
    return ModuleSpec(name, RenamedModule(present_name))
