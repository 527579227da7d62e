"""The removed names and their former values."""

from __future__ import annotations

import collections.abc
import importlib
import inspect
import math
import threading
import time
import types
import unittest
from collections import namedtuple
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any
from xml.etree.ElementTree import Element

_ABSTRACT = """Awaitable Coroutine AsyncIterable AsyncIterator AsyncGenerator Hashable Iterable Iterator Generator
Reversible Sized Container Callable Collection Set MutableSet Mapping MutableMapping MappingView KeysView ItemsView
ValuesView Sequence MutableSequence ByteString"""

#: numpy names that were aliases of Python's own types.
_NUMPY_BUILTINS: dict[str, Any] = {
    "bool": bool,
    "complex": complex,
    "float": float,
    "int": int,
    "long": int,
    "object": object,
    "str": str,
    "unicode": str,
}

#: numpy names that have been replaced by others.
_NUMPY_RENAMED = {
    "Inf": "inf",
    "Infinity": "inf",
    "NINF": "-inf",
    "NAN": "nan",
    "NZERO": "-zero",
    "NaN": "nan",
    "PINF": "inf",
    "PZERO": "zero",
    "alltrue": "all",
    "bool8": "bool_",
    "cfloat": "complex128",
    "clongfloat": "clongdouble",
    "complex_": "complex128",
    "cumproduct": "cumprod",
    "float_": "float64",
    "in1d": "isin",
    "infty": "inf",
    "int0": "intp",
    "longcomplex": "clongdouble",
    "longfloat": "longdouble",
    "object0": "object_",
    "product": "prod",
    "round_": "round",
    "row_stack": "vstack",
    "singlecomplex": "complex64",
    "sometrue": "any",
    "str0": "str_",
    "string_": "bytes_",
    "trapz": "trapezoid",
    "typeDict": "sctypeDict",
    "uint0": "uintp",
    "unicode_": "str_",
}

#: Methods of unittest.TestCase that have been replaced by others.
_TEST_METHODS = {
    "assertAlmostEquals": "assertAlmostEqual",
    "assertEquals": "assertEqual",
    "assertItemsEqual": "assertCountEqual",
    "assertNotEquals": "assertNotEqual",
    "assertRaisesRegexp": "assertRaisesRegex",
    "assertRegexpMatches": "assertRegex",
    "assert_": "assertTrue",
}

#: Names that still exist with another meaning: today's value is not used.
CHANGED = frozenset({("numpy", "bool"), ("numpy", "long")})

#: Removed modules, including their submodules. If they can still be imported, the originals are used.
MODULES = frozenset({"distutils", "imp", "pipes"})
#: The package of the stand-in modules.
MODULES_HERE = "hybridlint.launch.legacy.modules"

ArgSpec = namedtuple("ArgSpec", "args varargs keywords defaults")


def _getargspec(func: Any) -> Any:
    """Return names and defaults of positional arguments. Raises ValueError if the function has other parameters."""
    spec = inspect.getfullargspec(func)
    if spec.kwonlyargs or spec.annotations:
        raise ValueError("Function has keyword-only parameters or annotations, use inspect.signature() API")
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)


def _encodestring(s: bytes) -> bytes:
    return importlib.import_module("base64").encodebytes(s)  # type: ignore[no-any-return]


def _decodestring(s: bytes) -> bytes:
    return importlib.import_module("base64").decodebytes(s)  # type: ignore[no-any-return]


@cache
def former_names() -> Mapping[str, Mapping[str, Callable[[], Any]]]:
    """Return the removed names: module name -> removed name -> function that returns the former value."""
    return {
        "asyncio": {"coroutine": lambda: types.coroutine},
        "base64": {"decodestring": lambda: _decodestring, "encodestring": lambda: _encodestring},
        "collections": {name: _attribute(collections.abc, name) for name in _ABSTRACT.split()},
        "fractions": {"gcd": lambda: math.gcd},
        "inspect": {"ArgSpec": lambda: ArgSpec, "getargspec": lambda: _getargspec},
        "numpy": _numpy_names(),
        "time": {"clock": lambda: time.perf_counter},
    }


@cache
def removed_methods() -> Mapping[str, tuple[tuple[type, Callable[[Any], Any]], ...]]:
    """Return the removed methods and attributes: name -> (type, function from an object to the value) pairs."""
    table: dict[str, tuple[tuple[type, Callable[[Any], Any]], ...]] = {
        name: ((unittest.TestCase, _renamed(new)),) for name, new in _TEST_METHODS.items()
    }
    table["getchildren"] = ((Element, lambda element: lambda: list(element)),)
    table["isAlive"] = ((threading.Thread, _renamed("is_alive")),)
    return table


@cache
def numpy_methods() -> Mapping[str, Callable[[Any], Any]]:
    """Return the removed methods of numpy arrays and scalars: name -> function from an object to the method."""
    return {
        "itemset": lambda array: lambda *where_and_value: _itemset(array, *where_and_value),
        "newbyteorder": lambda array: lambda order="S": array.view(array.dtype.newbyteorder(order)),
        "tostring": _renamed("tobytes"),
    }


def attribute_names() -> frozenset[str]:
    """Return all removed names that may follow a dot."""
    return frozenset().union(*former_names().values(), removed_methods(), numpy_methods())


def _itemset(array: Any, *where_and_value: Any) -> None:
    *where, value = where_and_value
    if not where:
        array[...] = value
    elif len(where) == 1 and not isinstance(where[0], tuple):
        array.flat[where[0]] = value
    else:
        array[where[0] if len(where) == 1 else tuple(where)] = value


def _numpy_names() -> dict[str, Callable[[], Any]]:
    names: dict[str, Callable[[], Any]] = {name: _constant(kind) for name, kind in _NUMPY_BUILTINS.items()}
    names.update({name: _of_numpy(new) for name, new in _NUMPY_RENAMED.items()})
    names["asscalar"] = lambda: lambda a: a.item()
    names["asfarray"] = lambda: _asfarray
    names["msort"] = lambda: lambda a: _numpy().sort(a, axis=0)
    names["find_common_type"] = lambda: lambda arrays, scalars: _numpy().result_type(*arrays, *scalars)
    names["issubclass_"] = lambda: lambda a, b: isinstance(a, type) and issubclass(a, b)
    names["cast"] = _Casts
    return names


class _Casts:
    """The former ``numpy.cast[dtype](values)``."""

    def __getitem__(self, dtype: Any) -> Callable[[Any], Any]:
        return lambda values: _numpy().asarray(values).astype(dtype)


def _asfarray(a: Any, dtype: Any = None) -> Any:
    np = _numpy()
    dtype = np.dtype(dtype or np.float64)
    return np.asarray(a, dtype=dtype if dtype.kind in "fc" else np.float64)


def _of_numpy(name: str) -> Callable[[], Any]:
    if name.startswith("-"):
        return lambda: -(0.0 if name == "-zero" else math.inf)
    return (lambda: 0.0) if name == "zero" else lambda: getattr(_numpy(), name)


def _numpy() -> Any:
    return importlib.import_module("numpy")


def _attribute(owner: Any, name: str) -> Callable[[], Any]:
    return lambda: getattr(owner, name)


def _constant(value: Any) -> Callable[[], Any]:
    return lambda: value


def _renamed(name: str) -> Callable[[Any], Any]:
    return lambda owner: getattr(owner, name)
