"""Constructor arguments that are arrays, in the calls of a project or in place of a number that was guessed."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hybridlint.proving.child.build.values import documented, guesses
from hybridlint.proving.child.loaded_module import LoadedModule

#: A call that makes or reads an array, also where it cannot be evaluated here.
_MAKES = re.compile(r"\(*(?:\w+\.)+(?:array|asarray|load|loadtxt|genfromtxt|fromfile)\(")


def holds_array(world: LoadedModule, expression: str) -> bool:
    """Whether the value of an expression is an array, of mxnet or numpy, or holds one."""
    if "(" not in expression:
        return False
    try:
        return _holds_array(world.evaluate(expression))
    except Exception:
        return _MAKES.match(expression) is not None


def _holds_array(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_holds_array, value))
    # Stand-ins for modules that are not installed have every attribute.
    return not isinstance(value, type) and isinstance(getattr(value, "shape", None), tuple) and hasattr(value, "dtype")


_NUMBER = re.compile(r"-?\d+(?:\.\d*)?")


def numbers_by_guess(cls: Any, kwargs: Mapping[str, str], called: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Yield the arguments that are numbers by a guess alone: no default, annotation, docstring or call says so.

    `kwargs` are the arguments with which a block was built, `called` those of calls in the project.
    """
    entries = documented.of_class(cls, "__init__")
    for parameter in guesses.plain_parameters(cls):
        name = parameter.name
        kind = guesses.annotation_text(parameter) or entries.get(name, "").split("\n")[0]
        told = any(name in call for call in called) or any(True for _ in guesses.by_kind(kind, name))
        default = parameter.default
        if told or (default is not inspect.Parameter.empty and default is not None):
            continue
        if _NUMBER.fullmatch(kwargs.get(name, "")):
            yield name


def as_array(number: str, axes: int) -> str:
    """Return an expression for an array of one element with a number."""
    return f"nd.array([{number}]).reshape({(1,) * axes})"
