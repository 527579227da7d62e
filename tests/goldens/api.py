"""Ask the real MXNet 1.9.1 which operators, functions and methods it has, and keep the answers beside this file.

    PYTHON_WITH_MXNET tests/goldens/api.py

Of operators: names, inputs, parameters with their defaults as MXNet writes them. Of namespaces: what both `nd` and
`sym` have, and what only `nd` has. Of tensors: which attributes of arrays Symbols have, lack, or refuse ("neither":
arrays lack them too). It runs in MXNet's interpreter, so it stays within Python 3.8.
"""

from __future__ import annotations

import ctypes
import inspect
import json
import types
import warnings
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

ANSWERS = Path(__file__).with_name("api.json")
#: What is there and not called: it ends MXNet's process, or undoes the Symbol.
NOT_CALLED = {"__getitem__", "__del__", "__setstate__", "__init__", "__call__", "__next__"}
#: Sections of namespaces -> where they are below `nd` and `sym`.
NAMESPACES = {
    **{"nd": "", "nd.random": "random", "nd.contrib": "contrib", "nd.linalg": "linalg", "nd.image": "image"},
    **{"F.np": "np", "F.np.linalg": "np.linalg", "F.npx": "npx"},
}


def operators() -> dict[str, Any]:
    """Return what MXNet tells of each operator; names of the same operator are its aliases."""
    from mxnet.base import _LIB, mx_uint, py_str  # type: ignore[import-not-found]

    size, names = ctypes.c_uint(), ctypes.POINTER(ctypes.c_char_p)()
    _LIB.MXListAllOpNames(ctypes.byref(size), ctypes.byref(names))
    groups: dict[int, list[str]] = {}
    for k in range(size.value):
        handle = ctypes.c_void_p()
        _LIB.NNGetOpHandle(names[k], ctypes.byref(handle))
        groups.setdefault(int(handle.value or 0), []).append(py_str(names[k]))
    found = {}
    for address, spelled in groups.items():
        real, about, count = ctypes.c_char_p(), ctypes.c_char_p(), mx_uint()
        columns = [ctypes.POINTER(ctypes.c_char_p)() for _ in range(3)]
        key, returned = ctypes.c_char_p(), ctypes.c_char_p()
        _LIB.MXSymbolGetAtomicSymbolInfo(
            ctypes.c_void_p(address),
            *map(ctypes.byref, (real, about, count, *columns, key, returned)),
        )
        rows = [[py_str(column[k]) for column in columns[:2]] for k in range(count.value)]
        name = py_str(real.value)
        if name.startswith("_backward"):
            continue
        found[name] = {
            "aliases": sorted(set(spelled) - {name}),
            "inputs": [who for who, what in rows if _is_input(what)],
            "params": [[who, *_default(what)] for who, what in rows if not _is_input(what)],
        }
    return found


def _is_input(kind: str) -> bool:
    return kind.startswith(("NDArray", "Symbol", "NDArray-or-Symbol"))


def _default(kind: str) -> list[str]:
    """Return the default of a parameter as MXNet writes it, "?" where it does not, nothing where calls must give it."""
    _, given, default = kind.rpartition("default=")
    if given:
        return [default]
    return [] if "required" in kind else ["?"]


def namespaces(mx: Any) -> dict[str, dict[str, list[str]]]:
    """Return the public names of functions that both namespaces have, and of those that only that of arrays has."""
    found = {}
    for section, path in NAMESPACES.items():
        arrays, symbols = (_names(attrgetter(path)(root) if path else root) for root in (mx.nd, mx.sym))
        found[section] = {"both": sorted(arrays & symbols), "ndarray_only": sorted(arrays - symbols)}
    return found


def _names(module: Any) -> set[str]:
    return {
        name
        for name in dir(module)
        if not name.startswith("_") and callable(getattr(module, name)) and not inspect.isclass(getattr(module, name))
    }


def tensors(mx: Any) -> dict[str, dict[str, str]]:
    """Return of each attribute of arrays whether Symbols have it ("both"), lack it, or refuse to do it."""
    legacy = _attributes(mx.nd.ones((2, 3)), lambda: mx.sym.var("x"))
    numpy_mode = _attributes(mx.np.ones((2, 3)), lambda: mx.sym.var("x").as_np_ndarray())
    return {"legacy": legacy, "np": numpy_mode}


def _attributes(array: Any, symbol: Callable[[], Any]) -> dict[str, str]:
    names = sorted(name for name in dir(type(array)) if not name.startswith("_") or _is_operator(name))
    standings = {name: _standing(symbol(), name, _calls(type(array), name)) for name in names}
    own = {name: _standing(array, name, _calls(type(array), name)) for name in names if standings[name] == "missing"}
    return {name: "neither" if own.get(name) == "missing" else standing for name, standing in standings.items()}


def _calls(cls: type, name: str) -> list[tuple[int, ...]]:
    """Return arguments that a method of arrays takes, by their number alone."""
    choices = [(), (2,), (2, 3)]
    try:
        signature = inspect.signature(getattr(cls, name))
    except (TypeError, ValueError):
        return choices
    return [arguments for arguments in choices if _takes(signature, arguments)]


def _takes(signature: inspect.Signature, arguments: tuple[int, ...]) -> bool:
    try:
        signature.bind(None, *arguments)
    except TypeError:
        return False
    return True


def _is_operator(name: str) -> bool:
    compared = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}
    return name in compared or (name.startswith("__") and name.endswith("__") and name not in dir(object))


def _standing(tensor: Any, name: str, calls: list[tuple[int, ...]]) -> str:
    """Return "both" for what works, "missing" or "refused", and "raises" for what fails otherwise."""
    try:
        value = getattr(tensor, name)
    except AttributeError:
        return "missing"
    except Exception as error:
        return _failure(error)
    if name in NOT_CALLED or not isinstance(value, (types.MethodType, types.FunctionType)):
        return "both"
    found = [_outcome(value, arguments) for arguments in calls]
    return next((standing for standing in ("both", "refused", "missing") if standing in found), "raises")


def _outcome(method: Callable[..., Any], arguments: tuple[int, ...]) -> str:
    try:
        method(*arguments)
    except Exception as error:
        return _failure(error)
    return "both"


def _failure(error: Exception) -> str:
    if isinstance(error, AttributeError):
        return "missing"
    return "refused" if type(error).__name__ == "NotImplementedForSymbol" else "raises"


def main() -> None:
    """Write the answers."""
    import mxnet as mx  # type: ignore[import-not-found]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = {"operators": operators(), "namespaces": namespaces(mx), "tensors": tensors(mx)}
    ANSWERS.write_text(json.dumps(answers, indent=0, sort_keys=True, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
