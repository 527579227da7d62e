"""Values that a name of a library represents: namespaces, operators, functions, classes, modules and their members."""

from __future__ import annotations

import ast
from dataclasses import field

from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.registry import Operator


@record(frozen=True, slots=True)
class Namespace:
    """A namespace of operators: `root` is "F", "nd", "sym", "np" (mx.np) or "npx", `path` the rest ("contrib")."""

    root: str
    path: tuple[str, ...] = ()


@record(frozen=True, slots=True)
class OperatorRef:
    """An operator function that was looked up but not yet called (``F.relu``, uncalled)."""

    namespace: Namespace
    name: str
    operator: Operator | None


@record(frozen=True, slots=True)
class External:
    """A member of another library, by its full dotted name: "time.time", "builtins.len"."""

    name: str


@record(frozen=True, slots=True)
class TypeOf(External):
    """A class as ``type(x)`` returns it, under its short name in the library ("nd.NDArray")."""


@record(frozen=True, slots=True)
class ModuleFile(External):
    """A module of the project, by the resolved path of its file."""


@record(frozen=True, slots=True)
class ScopeOf(External):
    """A context manager of the library that a with statement enters: "pause", "train_mode", "name_scope".

    `sure` is False if a setting may put something else in its place, `keeps_mode` is True if the mode in it is the one
    around it. `made` is the call that makes it, and the file.
    """

    sure: bool = True
    keeps_mode: bool = False
    made: tuple[ast.Call, object] | None = field(default=None, compare=False)


@record(frozen=True, slots=True)
class ScopeMaker(External):
    """A function of the project that makes a scope of the library, as generators of ``contextlib`` do."""

    scope: ScopeOf = ScopeOf("")


@record(frozen=True, slots=True)
class LibraryInstance(External):
    """An object that the library's function `maker` returned; `name` describes it: "itertools.count()".

    `anew` is True if every call of the block makes it anew, so that it carries no state between calls.
    """

    maker: str
    anew: bool = False


@record(frozen=True, slots=True)
class MemberOf(External):
    """An attribute of a `LibraryInstance` object; `name` describes it: "itertools.count().__next__"."""

    owner: External
    attribute: str
