"""The lookups that rewritten sources call: attributes, imported names and modules, including removed ones."""

from __future__ import annotations

import importlib
import sys
import warnings
from types import ModuleType
from typing import Any

from hybridlint.launch.legacy.names import CHANGED, MODULES_HERE, former_names, numpy_methods, removed_methods

_ABSENT = object()
_reported: list[str] = []


def attribute(owner: Any, name: str) -> Any:
    """Return ``owner.name``, or its former value if it was removed. Raises AttributeError as Python does."""
    if isinstance(owner, ModuleType):
        return _of_module(owner, name)
    found = getattr(owner, name, _ABSENT)
    if found is not _ABSENT:
        return found
    for kind, give in removed_methods().get(name, ()):
        if isinstance(owner, kind):
            _report(f"{kind.__name__}.{name}")
            return give(owner)
    if name in numpy_methods() and _is_numpy_data(owner):
        _report(f"numpy.ndarray.{name}")
        return numpy_methods()[name](owner)
    return getattr(owner, name)


def imported_object(module: str, name: str) -> Any:
    """Return what ``from module import name`` binds, or used to bind. Raises ImportError."""
    found = importlib.import_module(_served_module(module))
    try:
        return _of_module(found, name, known_as=module)
    except AttributeError:
        try:
            return importlib.import_module(f"{found.__name__}.{name}")
        except ModuleNotFoundError:
            raise ImportError(f"cannot import name {name!r} from {module!r}", name=module) from None


def module(name: str, *, top: bool = True) -> Any:
    """Return what ``import name`` binds, or used to bind: the top package, or the module itself if `top` is false."""
    served = _served_module(name)
    found = importlib.import_module(served)
    if not top or "." not in name:
        return found
    above = served.removesuffix(name[name.index(".") :])
    return sys.modules[above]


def _of_module(owner: ModuleType, name: str, known_as: str | None = None) -> Any:
    key = (known_as or owner.__name__, name)
    if key not in CHANGED:
        found = _quiet(owner, name)
        if found is not _ABSENT:
            return found
    give = former_names().get(key[0], {}).get(name)
    if give is None:
        return getattr(owner, name)
    _report(f"{key[0]}.{name}")
    return give()


def _quiet(owner: ModuleType, name: str) -> Any:
    """Return a module's attribute without the deprecation warning that some names cause."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(owner, name, _ABSENT)


def _served_module(name: str) -> str:
    """Return the module name to import: the original if it still exists, else its stand-in's."""
    try:
        importlib.import_module(name)
        return name
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != name.partition(".")[0]:
            raise
    served = f"{MODULES_HERE}.{name}"
    try:
        importlib.import_module(served)
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"No module named {name!r}: Python has removed it, and hybridlint run has no stand-in for this part",
            name=name,
        ) from None
    _report(name)
    return served


def _is_numpy_data(owner: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(owner, (numpy.ndarray, numpy.generic))


def _report(what: str) -> None:
    """Tell the user about the first removed name that is provided; later ones are not reported."""
    if _reported:
        return
    _reported.append(what)
    sys.stderr.write(
        f"hybridlint run: this project reads {what}, which is no longer there; removed names of Python and numpy are "
        "served as they were, to this project only (--no-legacy-names turns this off)\n"
    )
