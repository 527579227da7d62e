"""A safe reader of MXNet's pickles: a small interpreter that runs nothing a pickle names.

MXNet's pickles hold plain data, numpy numbers and objects. Objects become `Object`s; `BUILD` only sets their
attributes. Announced sizes are compared with the available bytes, and the amount of data is limited, so that a forged
file costs neither much memory nor the process.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from hybridlint.runtime.base import MXNetError

#: Most instructions in a file: a state takes about twelve, so this suffices for 300,000 arrays.
MOST_INSTRUCTIONS = 4_000_000
#: Most values on the stack: pickles fill containers in batches of a thousand.
MOST_WAITING = 100_000
#: Deepest nesting of containers.
MOST_NESTED = 64
_PROTOCOLS = range(2, 6)
_LARGEST_INTEGER = 8  # bytes
#: The permitted dtypes of numbers, as pickles write them.
_DTYPES = frozenset({"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"})
#: A pickled dtype's remaining state: no fields, no shape.
_PLAIN_DTYPE = (None, None, None, -1, -1, 0)


class PickleError(MXNetError):
    """The file is not a pickle of MXNet's kind, or is damaged."""


@dataclass(frozen=True, slots=True)
class Named:
    """A class or function that a file refers to."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(eq=False, slots=True)
class Object:
    """An object in a file: its class, its constructor arguments, and its attributes (None until they are set)."""

    kind: Named
    arguments: tuple[Any, ...]
    attributes: dict[str, Any] | None = None


@dataclass(eq=False, slots=True)
class _Dtype:
    """A dtype in a file, native until its byte order is set."""

    name: str
    order: str = "="

    def number(self, content: Any) -> Any:
        dtype = np.dtype(self.name).newbyteorder(self.order)  # type: ignore[arg-type]
        if type(content) is not bytes or len(content) != dtype.itemsize:
            raise PickleError(f"a number of {dtype} needs {dtype.itemsize} bytes")
        return np.frombuffer(content, dtype)[0].astype(dtype.newbyteorder("="))


def load(content: bytes) -> Any:
    """Return the content of a pickle. Raises PickleError with the reason for a refusal."""
    found = _Machine(content).run()
    _check_nesting(found)
    return found


def _check_nesting(found: Any) -> None:
    """Raise PickleError if containers are nested too deep or contain themselves. Shared ones are visited once."""
    heights: dict[int, int] = {}

    def height(value: Any, left: int) -> int:
        parts = _parts(value)
        if parts is None:
            return 0
        known = heights.get(id(value))
        if known is None:
            if not left:
                raise PickleError(f"more than {MOST_NESTED} containers are within each other")
            known = heights[id(value)] = 1 + max((height(part, left - 1) for part in parts), default=0)
        if known > left:
            raise PickleError(f"more than {MOST_NESTED} containers are within each other")
        return known

    height(found, MOST_NESTED)


def _parts(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, dict):
        return value.values()
    return [value.arguments, value.attributes] if isinstance(value, Object) else None


@dataclass(slots=True)
class _Machine:
    """The interpreter's state: a position in the pickle, the stack, and the memo."""

    content: bytes
    at: int = 0
    stack: list[Any] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    memo: list[Any] = field(default_factory=list)

    def run(self) -> Any:
        """Execute all instructions and return the result."""
        if self.take(1) != b"\x80" or self.take(1)[0] not in _PROTOCOLS:
            self.refuse("it does not begin like one")
        for _ in range(MOST_INSTRUCTIONS):
            code = self.take(1)
            if code == b".":
                if len(self.stack) != 1 or self.marks or self.at != len(self.content):
                    self.refuse("its end is not where it should be")
                return self.stack[0]
            instruction = _INSTRUCTIONS.get(code)
            if instruction is None:
                self.refuse(f"the instruction {code!r} is in none of MXNet's")
            instruction(self)
            if len(self.stack) > MOST_WAITING or len(self.marks) > MOST_NESTED:
                self.refuse("it holds more values in the air than any that is written")
        raise PickleError(f"it has more than {MOST_INSTRUCTIONS} instructions")

    def refuse(self, reason: str) -> NoReturn:
        raise PickleError(f"{reason} (at byte {self.at})")

    def take(self, size: int) -> bytes:
        left = len(self.content) - self.at
        if size > left:
            self.refuse(f"{size} bytes are announced, {left} are left")
        self.at += size
        return self.content[self.at - size : self.at]

    def unpack(self, form: str) -> Any:
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def text(self, content: bytes) -> str:
        try:
            return content.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            self.refuse("a text is not UTF-8")

    def line(self) -> str:
        """Read a line of text."""
        end = self.content[self.at : self.at + 512].find(b"\n")
        if end < 0:
            self.refuse("a name does not end")
        return self.text(self.take(end + 1)[:-1])

    def pop(self) -> Any:
        if len(self.stack) <= (self.marks[-1] if self.marks else 0):
            self.refuse("a value is missing")
        return self.stack.pop()

    def popped(self, *kinds: type) -> Any:
        value = self.pop()
        if type(value) not in kinds:
            self.refuse(f"a {type(value).__name__} is where a {kinds[0].__name__} belongs")
        return value

    def top(self, kind: type) -> Any:
        """Return the top of the stack without removing it."""
        self.stack.append(self.popped(kind))
        return self.stack[-1]

    def since_mark(self) -> list[Any]:
        if not self.marks:
            self.refuse("a mark is missing")
        begin = self.marks.pop()
        found = self.stack[begin:]
        del self.stack[begin:]
        return found

    def remember(self, index: int) -> None:
        """Store the top of the stack in the memo. Memo indices are consecutive."""
        if index > len(self.memo) or not self.stack:
            self.refuse(f"value {index} is kept where {len(self.memo)} are")
        self.memo[index : index + 1] = [self.stack[-1]]

    def recall(self, index: int) -> None:
        if index >= len(self.memo):
            self.refuse(f"value {index} of {len(self.memo)} is asked for")
        self.stack.append(self.memo[index])

    def tuple_of(self, count: int) -> None:
        parts = [self.pop() for _ in range(count)]
        self.stack.append(tuple(reversed(parts)))

    def set_items(self, items: list[Any]) -> None:
        target = self.top(dict)
        if len(items) % 2 or not all(type(key) in {int, str} for key in items[::2]):
            self.refuse("a key is neither a number nor a text")
        target.update(zip(items[::2], items[1::2], strict=True))

    def set_item(self) -> None:
        value, key = self.pop(), self.pop()
        self.set_items([key, value])

    def integer(self) -> None:
        size = self.take(1)[0]
        if size > _LARGEST_INTEGER:
            self.refuse(f"an integer of {size} bytes")
        self.stack.append(int.from_bytes(self.take(size), "little", signed=True))

    def frame(self) -> None:
        size, left = self.unpack("<Q"), len(self.content) - self.at
        if size > left:
            self.refuse(f"{size} bytes are announced, {left} are left")

    def name(self) -> None:
        name, module = self.popped(str), self.popped(str)
        self.stack.append(Named(module, name))

    def name_in_lines(self) -> None:
        self.stack.append(Named(self.line(), self.line()))

    def make(self) -> None:
        """Call a named object: numpy numbers and bytes are created, anything else becomes an `Object`."""
        arguments, kind = self.popped(tuple), self.popped(Named)
        self.stack.append(self.made(kind, arguments))

    def made(self, kind: Named, arguments: tuple[Any, ...]) -> Any:
        match (kind.module, kind.name), arguments:
            case ("builtins", "bytearray"), (bytes() as content,):
                return content
            case ("builtins", "bytearray"), ():
                return b""
            case ("numpy", "dtype"), (str() as name, *_) if name in _DTYPES:
                return _Dtype(name)
            case ("numpy.core.multiarray" | "numpy._core.multiarray", "scalar"), (_Dtype() as dtype, content):
                return dtype.number(content)
        if kind.module.partition(".")[0] in {"builtins", "numpy"}:
            self.refuse(f"it asks for {kind} of {', '.join(map(_shown, arguments)) or 'nothing'}")
        return Object(kind, arguments)

    def build(self) -> None:
        """Set an object's attributes, or a dtype's byte order."""
        state, target = self.pop(), self.pop()
        self.stack.append(target)
        match target, state:
            case Object(attributes=None), dict() if all(type(name) is str for name in state):
                target.attributes = state
            case _Dtype(), (3 | 4, "<" | ">" | "|" | "=" as order, *others) if tuple(others) == _PLAIN_DTYPE:
                target.order = order
            case _:
                self.refuse(f"a {type(target).__name__.strip('_').lower()} is given a {type(state).__name__}")


def _shown(value: Any) -> str:
    return repr(value)[:40] if type(value) in {str, int, float, bool} else type(value).__name__


def _push(read: Callable[[_Machine], Any]) -> Callable[[_Machine], None]:
    return lambda machine: machine.stack.append(read(machine))


_INSTRUCTIONS: dict[bytes, Callable[[_Machine], None]] = {
    b"\x95": _Machine.frame,
    b"N": _push(lambda m: None),
    b"\x88": _push(lambda m: True),
    b"\x89": _push(lambda m: False),
    b"J": _push(lambda m: m.unpack("<i")),
    b"K": _push(lambda m: m.unpack("<B")),
    b"M": _push(lambda m: m.unpack("<H")),
    b"\x8a": _Machine.integer,
    b"G": _push(lambda m: m.unpack(">d")),
    b"C": _push(lambda m: m.take(m.unpack("<B"))),
    b"B": _push(lambda m: m.take(m.unpack("<I"))),
    b"\x8e": _push(lambda m: m.take(m.unpack("<Q"))),
    b"\x96": _push(lambda m: m.take(m.unpack("<Q"))),
    b"\x8c": _push(lambda m: m.text(m.take(m.unpack("<B")))),
    b"X": _push(lambda m: m.text(m.take(m.unpack("<I")))),
    b"\x8d": _push(lambda m: m.text(m.take(m.unpack("<Q")))),
    b")": _push(lambda m: ()),
    b"]": _push(lambda m: []),
    b"}": _push(lambda m: {}),
    b"(": lambda m: m.marks.append(len(m.stack)),
    b"t": _push(lambda m: tuple(m.since_mark())),
    b"\x85": lambda m: m.tuple_of(1),
    b"\x86": lambda m: m.tuple_of(2),
    b"\x87": lambda m: m.tuple_of(3),
    b"a": lambda m: _append(m, [m.pop()]),
    b"e": lambda m: _append(m, m.since_mark()),
    b"s": _Machine.set_item,
    b"u": lambda m: m.set_items(m.since_mark()),
    b"q": lambda m: m.remember(m.unpack("<B")),
    b"r": lambda m: m.remember(m.unpack("<I")),
    b"\x94": lambda m: m.remember(len(m.memo)),
    b"h": lambda m: m.recall(m.unpack("<B")),
    b"j": lambda m: m.recall(m.unpack("<I")),
    b"c": _Machine.name_in_lines,
    b"\x93": _Machine.name,
    b"R": _Machine.make,
    b"\x81": _Machine.make,
    b"b": _Machine.build,
}


def _append(machine: _Machine, values: list[Any]) -> None:
    machine.top(list).extend(values)
