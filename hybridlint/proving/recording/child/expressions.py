"""Constructor arguments written as Python expressions that are valid in the module of the class."""

from __future__ import annotations

import enum
import functools
import math
import re
import sys
from collections.abc import Iterable, Mapping
from functools import singledispatchmethod
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

#: Modules of mxnet with objects that users create: the name to use in expressions, and the module's path.
_PLACES = (
    ("nn", "gluon.nn"),
    ("gluon.rnn", "gluon.rnn"),
    ("gluon.loss", "gluon.loss"),
    ("gluon", "gluon"),
    ("gluon.contrib.nn", "gluon.contrib.nn"),
    ("gluon.contrib.rnn", "gluon.contrib.rnn"),
    ("mx.init", "init"),
    ("mx.metric", "metric"),
    ("mx.nd", "nd"),
    ("mx", ""),
)
#: Most elements of an array that are written out, if data may be recorded.
MOST_ELEMENTS = 4096
#: Most characters of an expression.
LONGEST = 20_000
#: Placeholder for a name that is resolved once the target module is known.
_TOKEN = re.compile("\x00([^:\x00]*):([^\x00]*)\x00")
#: Placeholder for a numpy name, because user code may import numpy under another name.
_NUMPY = "\x00numpy:{}\x00"


class UnwritableError(Exception):
    """A value cannot be written as an expression; the message describes it."""


class ExpressionWriter:
    """Writes values as expressions. `block` writes a recorded block; `data` permits writing out array elements.

    Names of classes and functions stay placeholders in the result; `spell_placeholders` resolves them.
    """

    def __init__(self, mx: Any, block: Callable[[Any], str], *, data: bool = False) -> None:
        self.mx = mx
        self.block = block
        self.data = data

    def write(self, value: Any) -> str:
        """Return an expression for the value. Raises UnwritableError."""
        text = self._write(value)
        if len(text) > LONGEST:
            raise UnwritableError("too long")
        return text

    @singledispatchmethod
    def _write(self, value: Any) -> str:
        mx = self.mx
        if isinstance(value, mx.gluon.Block):
            return self.block(value)
        if isinstance(value, mx.context.Context):
            # A record may be used on a machine with other devices.
            return "mx.cpu()"
        if isinstance(value, mx.initializer.Initializer):
            return f"mx.initializer.create({value.dumps()!r})"
        # A Symbol also has all the methods of an array, only to raise errors from them.
        if hasattr(value, "asnumpy") and not hasattr(value, "list_arguments"):
            kind = "mx.np" if isinstance(value, mx.np.ndarray) else "mx.nd"
            raw = value.asnumpy()
            return f"{kind}.array({self._array(raw)}, dtype={raw.dtype.name!r})"
        raise UnwritableError(f"a {type(value).__name__}")

    @_write.register(type(None))
    @_write.register(type(Ellipsis))
    @_write.register(bool)
    @_write.register(bytes)
    @_write.register(range)
    def _literal(self, value: Any) -> str:
        return repr(value)

    @_write.register(int)
    @_write.register(str)
    def _plain(self, value: Any) -> str:
        # Members of enumerations can also be instances of int or str.
        return int.__repr__(value) if isinstance(value, int) else str.__repr__(value)

    @_write.register(float)
    def _real(self, value: float) -> str:
        return float.__repr__(value) if math.isfinite(value) else f"float({str(value)!r})"

    @_write.register(np.generic)
    def _scalar(self, value: Any) -> str:
        return self._write(value.item())

    @_write.register(enum.Enum)
    def _member(self, value: enum.Enum) -> str:
        return f"{placeholder(type(value))}.{value.name}"

    @_write.register(list)
    @_write.register(set)
    @_write.register(frozenset)
    def _collection(self, value: Any) -> str:
        inner = f"[{self._items(value)}]"
        return inner if isinstance(value, list) else f"{type(value).__name__}({inner})"

    @_write.register(tuple)
    def _tuple(self, value: Any) -> str:
        inner = self._items(value)
        if hasattr(value, "_fields"):
            return f"{placeholder(type(value))}({inner})"
        return f"({inner}{',' if len(value) == 1 else ''})"

    @_write.register(Mapping)
    def _mapping(self, value: Mapping[Any, Any]) -> str:
        return "{" + ", ".join(f"{self._write(k)}: {self._write(v)}" for k, v in value.items()) + "}"

    @_write.register(slice)
    def _slice(self, value: slice) -> str:
        return f"slice({self._items((value.start, value.stop, value.step))})"

    @_write.register(type)
    @_write.register(FunctionType)
    @_write.register(BuiltinFunctionType)
    def _named(self, value: Any) -> str:
        return placeholder(value)

    @_write.register(functools.partial)
    def _partial(self, value: functools.partial[Any]) -> str:
        given = [self._write(part) for part in (value.func, *value.args)]
        return call_expression(
            placeholder(functools.partial), given, {k: self._write(v) for k, v in value.keywords.items()}
        )

    @_write.register(np.dtype)
    def _dtype(self, value: Any) -> str:
        return f"{_NUMPY.format('dtype')}({value.name!r})"

    @_write.register(np.ndarray)
    def _numpy_array(self, value: Any) -> str:
        return f"{self._array(value)}.astype({value.dtype.name!r})"

    def _items(self, values: Iterable[Any]) -> str:
        return ", ".join(map(self._write, values))

    def _array(self, raw: Any) -> str:
        """Return a numpy expression for an array: its elements if data is permitted, else random ones in its range."""
        if raw.dtype.kind not in "fiub":
            raise UnwritableError(f"an array of {raw.dtype.name}")
        if self.data:
            if raw.size > MOST_ELEMENTS:
                raise UnwritableError(f"an array of {raw.size} elements")
            return f"{_NUMPY.format('array')}({raw.tolist()!r})"
        shape = tuple(int(size) for size in raw.shape)
        low, high = (raw.min().item(), raw.max().item()) if raw.size else (0, 0)
        if raw.dtype.kind == "f":
            return f"{_NUMPY.format('random.uniform')}({low!r}, {high!r}, {shape})"
        return f"{_NUMPY.format('random.randint')}({int(low)}, {int(high) + 1}, {shape})"


def call_expression(function: str, args: list[str], kwargs: Mapping[str, str]) -> str:
    """Return a call expression."""
    return f"{function}({', '.join([*args, *(f'{name}={text}' for name, text in kwargs.items())])})"


def placeholder(value: Any) -> str:
    """Return the placeholder of a module's class or function. Raises UnwritableError."""
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", "")
    if module == "builtins":
        return name
    if module is None or _found(sys.modules.get(module), name) is not value:
        raise UnwritableError(
            f"the local {'class' if isinstance(value, type) else 'function'} {name.rpartition('.')[2]}"
        )
    return f"\x00{module}:{name}\x00"


def spell_placeholders(text: str, home: ModuleType, mx: Any) -> str:
    """Replace all placeholders by names that are valid in the module `home`. Raises UnwritableError."""
    return _TOKEN.sub(lambda match: _spelling(match[1], match[2], home, mx), text)


def _spelling(module: str, name: str, home: ModuleType, mx: Any) -> str:
    value = _found(sys.modules.get(module), name)
    if module == home.__name__:
        return name
    last = name.rpartition(".")[2]
    if vars(home).get(last) is value:
        return last
    defaults = {"mx": mx, "gluon": mx.gluon, "nn": mx.gluon.nn, "np": np, **vars(home)}
    if module == "numpy" and defaults["np"] is np:
        return f"np.{name}"
    for spelling, path in _PLACES:
        root, _, rest = spelling.partition(".")
        place = _found(defaults.get(root), rest)
        if place is not None and place is _found(mx, path) and getattr(place, last, None) is value:
            return f"{spelling}.{last}"
    if module == "__main__":
        raise UnwritableError(f"`{name}`, which the script defines that was run")
    return f'__import__("{module}", fromlist=["_"]).{name}'


def _found(value: Any, path: str) -> Any:
    for part in path.split(".") if path else ():
        value = getattr(value, part, None)
    return value
