"""Facts of single functions and classes of the project: the part of the brief that tells how code uses its arguments.

A function is found by its file and first row, a class by its file and qualified name. Code of installed libraries has
no facts.
"""

from __future__ import annotations

import inspect
import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.proving.child.brief.inputs import InputFacts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import CodeType


class Suggestion(NamedTuple):
    """A value that code suggests for a name: an expression, or what a constant of its module holds.

    `constant` is a global, or an attribute of a module among the globals; `use` says what of it is meant. Of a list
    that is as long as the constant, `text` is an item.
    """

    name: str
    text: str
    constant: str = ""
    use: str = ""


#: What is meant of a constant: what it holds, only texts that it holds, its keys, or its length.
HELD, TEXTS_HELD, KEYS, LENGTH = ("held", "texts", "keys", "length")


class PassedNames(NamedTuple):
    """A call of a function or class of the module with names as arguments, "" for any other argument."""

    function: str
    positional: tuple[str, ...]
    named: Mapping[str, str]


class FunctionFacts(NamedTuple):
    """How a function uses names; a name is dotted, such as ``config.hidden``, and an attribute of self is as well.

    `read` maps names with a dot to how they are read: as an "attribute", by a "key". `dictionaries` are those that have
    the keys that are read of a name. `outputs` are the numbers of values that it returns, 0 where that is not known.
    `commented` are the shapes that its comments give, by name. An `abstract` one raises NotImplementedError. `inputs`
    say what it makes of arrays.
    """

    suggestions: tuple[Suggestion, ...] = ()
    dictionaries: Mapping[str, str] = {}
    read: Mapping[str, tuple[str, ...]] = {}
    called: tuple[str, ...] = ()
    passed: tuple[PassedNames, ...] = ()
    outputs: tuple[int, ...] = ()
    commented: Mapping[str, str] = {}
    abstract: bool = False
    inputs: InputFacts = InputFacts()


class AttributeCall(NamedTuple):
    """A call of an attribute of self, with its numbers of inputs and outputs."""

    attribute: str
    inputs: int
    outputs: int


class Told(NamedTuple):
    """A method, or "" for itself, that a statement calls of an attribute of self, or in a loop of its `items`."""

    attribute: str
    method: str
    items: bool


class ClassFacts(NamedTuple):
    """How the code of a class uses attributes of self.

    `kept` maps attributes to the constructor arguments that they are, and `stored` are all that it sets. `assigned` has
    dotted names with the names that they are set to, and `holding` attributes with names that they hold, possibly in a
    container or with a default. `called` are the attributes that are called, also in loops over them, `apart` the names
    of which items are taken, `parameters` the attributes that hold a parameter, and `branched` the names that
    conditions ask for.
    """

    kept: Mapping[str, str] = {}
    stored: frozenset[str] = frozenset()
    assigned: tuple[tuple[str, str], ...] = ()
    holding: tuple[tuple[str, str], ...] = ()
    called: tuple[str, ...] = ()
    calls: tuple[AttributeCall, ...] = ()
    apart: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    branched: tuple[str, ...] = ()
    told: tuple[Told, ...] = ()


class FileFacts(NamedTuple):
    """The functions of a file by their first rows, as text, and its classes by their qualified names."""

    functions: Mapping[str, FunctionFacts] = {}
    classes: Mapping[str, ClassFacts] = {}


_NO_FUNCTION, _NO_CLASS = FunctionFacts(), ClassFacts()
_KNOWN: dict[str, FileFacts] = {}


def learn(code: Mapping[str, FileFacts]) -> None:
    """Keep the facts of some files, by their resolved paths."""
    _KNOWN.clear()
    _KNOWN.update(code)


def facts_of(function: Any) -> FunctionFacts:
    """Return the facts of a function or method; empty ones if its source is not known."""
    plain = getattr(function, "__func__", function)
    code = getattr(inspect.unwrap(plain) if callable(plain) else None, "__code__", None)
    return _NO_FUNCTION if code is None else facts_of_code(code)


def facts_of_code(code: CodeType) -> FunctionFacts:
    """Return the facts of the function with some code; empty ones if its source is not known."""
    return _of_file(code.co_filename).functions.get(str(code.co_firstlineno), _NO_FUNCTION)


def class_facts(cls: Any) -> Iterator[ClassFacts]:
    """Yield the facts of a class and of those of its bases whose source is known, the class first."""
    for base in getattr(cls, "__mro__", ()):
        file = getattr(sys.modules.get(base.__module__), "__file__", None)
        facts = _of_file(file or "").classes.get(base.__qualname__)
        if facts is not None:
            yield facts


def _of_file(path: str) -> FileFacts:
    return _KNOWN.get(os.path.realpath(path), _NO_FILE) if path else _NO_FILE


_NO_FILE = FileFacts()
