"""Names that MXNet's modules have only because they import them; the runtime has them when it is served as mxnet.

``from mxnet.metric import ndarray`` works on MXNet, so it must work here, as must a star import. The runtime's own
modules do not import these names. `mxnet_names.json` says, as measured on MXNet, which names each module has and where
they come from, private ones included: test suites import these. A module's ``__getattr__`` looks them up there. A name
that MXNet defines and the runtime has nowhere represents what is missing: calling it raises NotImplementedError.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType
from typing import Any, NoReturn

from hybridlint.launch.mxnet_names import table

#: Sources of the names that a module defines itself: functions and values, and classes.
_OWN = (".", "class")
#: What the table says of names that other entries list.
_ABOUT = ("hidden", "methods")
#: Names being looked up, so that modules that have a name from each other end the search.
_searched: set[tuple[str, str]] = set()


@cache
def names_of(module: str) -> Mapping[str, str]:
    """Return the names of a module (without ``mxnet.``), each with its source."""
    groups = table().get(module, {})
    return {key: source for source, names in groups.items() if source not in _ABOUT for key in _keys(source, names)}


def _keys(source: str, names: Any) -> list[str]:
    """Return the names of a source."""
    if source == "values":
        return list(names)
    return [name.partition("=")[0] if source in {"modules", "none"} else name for name in names.split()]


def module_of(served: str) -> ModuleType | None:
    """Return a module that MXNet has and the runtime lacks, with names from elsewhere; None if MXNet lacks it too."""
    if _below(served) not in table():
        return None
    module = ModuleType(served, f"What MXNet's {served} holds, from where the runtime has it.")
    if any(name.startswith(f"{_below(served)}.") for name in table()):
        module.__path__ = []
    give(module, served)
    return module


def own_names(module: ModuleType) -> dict[str, Any]:
    """Return a module's ``__dict__`` as it is.

    ``vars`` first makes all operators of a module of operators, and what they import may be halfway through its own
    import.
    """
    held: dict[str, Any] = vars(ModuleType)["__dict__"].__get__(module)
    return held


def give(module: ModuleType, served: str) -> None:
    """Give a module of the runtime the names that MXNet's module of that name has through its imports."""
    names = names_of(_below(served))
    if not names:
        return
    space = own_names(module)
    own, listed = space.get("__getattr__"), space.get("__all__")
    if own is None or listed is not None:
        hidden = set(table()[_below(served)].get("hidden", "").split())
        hidden.update(name for name, full in _libraries(_below(served)).items() if not _installed(full))
        public = {name for name in names if not name.startswith("_")}
        space["__all__"] = sorted({*(public - hidden), *(n for n in listed or () if n.startswith("_"))})
    space["__getattr__"] = _finder(served, names, own)


def complete(klass: type) -> None:
    """Give a class the private methods that MXNet's class of that name has and it lacks: calling one says so."""
    package = _below(klass.__module__).partition(".")[0]
    homes = [home for home in _private_methods().get(klass.__name__, ()) if home[0].partition(".")[0] == package]
    if len(homes) != 1:
        return
    ((module, names),) = homes
    for name in names.split():
        if not hasattr(klass, name):
            setattr(klass, name, _refused(f"mxnet.{module}.{klass.__name__}.{name}", is_class=False))


@cache
def _private_methods() -> Mapping[str, list[tuple[str, str]]]:
    """Return private methods of MXNet's classes: class name -> modules that define one, each with the methods."""
    found: dict[str, list[tuple[str, str]]] = {}
    for module, groups in table().items():
        for klass, names in groups.get("methods", {}).items():
            found.setdefault(klass, []).append((module, names))
    return found


def _finder(served: str, names: Mapping[str, str], own: Callable[[str], Any] | None) -> Callable[[str], Any]:
    def find(name: str) -> Any:
        if own is not None:
            try:
                return own(name)
            except AttributeError:
                if name not in names:
                    raise
        if name not in names or (served, name) in _searched:
            raise AttributeError(f"module '{served}' has no attribute '{name}'")
        _searched.add((served, name))
        try:
            return _found(_below(served), name, names[name])
        finally:
            _searched.discard((served, name))

    return find


def _found(module: str, name: str, source: str) -> Any:
    if source == "none":
        return _optional(name, table()[module][source].split())
    if source == "values":
        return table()[module][source][name]
    if source == "modules":
        return _library(_libraries(module)[name], module, name)
    if source.startswith("="):
        home, _, original = source[1:].partition(":")
        found = getattr(_library(home, module, name), original or name, None)
    else:
        places = _homes(module) if source in _OWN else (source,)
        found = next((f for f in (_at(place, name) for place in places) if f is not None), None)
    return _refused(f"mxnet.{module}.{name}", is_class=source == "class") if found is None else found


def _optional(name: str, entries: list[str]) -> ModuleType | None:
    """Return a library that MXNet imports where it is installed; None where it is not, or MXNet's value is None."""
    full = next((entry[len(name) + 1 :] for entry in entries if entry.startswith(f"{name}=")), None)
    return importlib.import_module(full) if full is not None and _installed(full) else None


def _at(place: str, name: str) -> Any:
    try:
        return getattr(importlib.import_module(f"mxnet.{place}" if place else "mxnet"), name, None)
    except ImportError:
        return None


def _homes(module: str) -> tuple[str, ...]:
    """Return where the runtime may have what MXNet defines in a module: the one it was generated for, its package."""
    package, _, own = module.rpartition(".")
    if own == "image":
        package = "ndarray.image" if module.startswith(("ndarray", "numpy")) else "symbol.image"
    return (f"{package}.{own.removeprefix('gen_')}", package) if own.startswith("gen_") else (package,)


def _libraries(module: str) -> dict[str, str]:
    """Return the names of modules in a module's namespace, each with the full name of what it represents."""
    entries = (entry.partition("=") for entry in table()[module].get("modules", "").split())
    return {name: full or name for name, _, full in entries}


@cache
def _installed(full: str) -> bool:
    """Return whether a module can be imported; what MXNet needs itself, such as requests, need not be there here."""
    package = full.partition(".")[0]
    return package in sys.modules or importlib.util.find_spec(package) is not None


def _library(full: str, module: str, name: str) -> ModuleType:
    """Return a module by its full name. Raises AttributeError where it is not installed, or Python has removed it."""
    try:
        return importlib.import_module(full)
    except ImportError as error:
        raise AttributeError(f"module 'mxnet.{module}' has no attribute '{name}': {error}") from error


def _refused(path: str, *, is_class: bool) -> Any:
    """Return a stand-in for a function or class that the runtime lacks. Calling it raises NotImplementedError."""
    message = f"{path} is not supported by the bundled runtime"

    def function(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(message)

    name = path.rpartition(".")[2]
    if is_class:
        return type(name, (), {"__init__": function, "__module__": path.rpartition(".")[0], "__doc__": message})
    function.__name__ = function.__qualname__ = name
    function.__doc__ = message
    return function


def _below(served: str) -> str:
    return served.removeprefix("mxnet").removeprefix(".")
