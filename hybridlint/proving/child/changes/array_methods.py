"""Effects of numpy's array methods and attributes, found by running them on a read-only array."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

#: Methods that write files.
_OF_FILES = ("dump", "dumps", "tofile")
#: Methods whose effect a read-only array does not show: on its size and its flags.
_UNSEEN = ("resize", "setflags")


@functools.lru_cache(maxsize=1)
def changing_array_methods() -> frozenset[str]:
    """Return the names of the methods that change their array: a read-only one refuses them."""
    return frozenset(
        [*_UNSEEN, *(name for name in _names() if any(isinstance(answer, ValueError) for answer in _answers(name)))]
    )


@functools.lru_cache(maxsize=1)
def copying_array_methods() -> frozenset[str]:
    """Return the names of the methods and attributes that never give a view of their array."""
    return frozenset(name for name in _names() if _copies(list(_answers(name))))


def gives_view(function: Any) -> bool:
    """Whether a function of numpy may give a view of the array that it gets."""
    name = str(getattr(function, "__name__", ""))
    if name.startswith(("frombuffer", "nditer", "ndenumerate")):
        return True
    if name.startswith(("from", "gen", "load", "mem", "open", "save")):
        return False
    return not _copies([_called(function, _sample(), *arguments) for arguments in _arguments()])


def _names() -> list[str]:
    return [name for name in dir(np.ndarray) if not name.startswith("_") and name not in _OF_FILES]


def _sample() -> Any:
    array = np.arange(4.0)
    array.setflags(write=False)
    return array


def _arguments() -> Iterator[tuple[Any, ...]]:
    yield from ((), (0,), (-1,), (0, 0), ([0], [0]), (np.dtype("float64"),), (0.0, np.dtype("float64")), (True,))


def _answers(name: str) -> Iterator[Any]:
    """Yield the results of an attribute or a method, with arguments of several kinds."""
    for arguments in _arguments():
        array = _sample()
        try:
            held = getattr(array, name)
        except Exception:
            return
        yield (array, held) if not callable(held) else _called(held, *arguments, array=array)


def _called(function: Any, *arguments: Any, array: Any = None) -> Any:
    """Return an array with a function's result, or the error of a read-only array; None for other errors."""
    given = arguments[0] if array is None else array
    try:
        return (given, function(*arguments))
    except ValueError as error:
        return error if "read-only" in str(error) else None
    except Exception:
        return None


def _copies(answers: list[Any]) -> bool:
    """Whether there are answers, and none shares its memory with the array that was asked."""
    pairs = [answer for answer in answers if isinstance(answer, tuple)]
    return bool(pairs) and not any(_shares(array, result) for array, result in pairs)


def _shares(array: Any, result: Any) -> bool:
    if isinstance(result, (list, tuple)):
        return any(_shares(array, item) for item in result)
    if getattr(result, "base", None) is array:
        return True
    return isinstance(result, (np.ndarray, memoryview)) and np.shares_memory(np.asarray(result), array)
