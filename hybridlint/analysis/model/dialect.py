"""The names of the analyzed code's library, as the interpreter needs them; one implementation declares them.

The interpreter itself contains no names of a library. Questions that also depend on the flow of values go to
`hybridlint.analysis.semantics`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridlint.analysis.model.values import Mode, Namespace, ProjectModule, Value
from hybridlint.runtime.facts.records import record
from hybridlint.text.source import SourceFile


@record(frozen=True, slots=True)
class Dialect:
    """The names of a library. Dotted names are full: import aliases are resolved."""

    #: The top package, with a dot.
    prefix: str
    #: The method of a block that is traced, and all methods that the library calls by itself.
    entry: str
    called_by_library: frozenset[str]
    #: The attribute of a block that is true once it is compiled.
    compiled: str
    #: Whether a dotted name is a class of blocks, and whether such blocks can be compiled.
    is_block: Callable[[str], bool]
    is_hybrid: Callable[[str], bool]
    #: The value of a dotted name of any library, and of a name in a namespace of operators.
    external: Callable[[str], Value]
    member: Callable[[Namespace, str], Value]
    #: The full dotted name that an import leads to in the library itself, given the packages around the importing
    #: file, or None: (packages, module, name, level).
    imported: Callable[[tuple[str, ...], str, str | None, int], Value | None]
    #: The mode of arrays in a file, and in a class of it.
    mode: Callable[[SourceFile], Mode]
    class_mode: Callable[[SourceFile, ast.ClassDef], Mode]
    #: Whether a function may run in either mode.
    mode_is_open: Callable[[SourceFile, ast.AST | None], bool]
    #: Whether a file gives arrays the method itself that an event, by its class and its fields, is about.
    is_replaced: Callable[[ProjectModule, type, Mapping[str, Any]], bool]
    #: Methods of arrays that preserve the values, and those that read the data into Python.
    keeping: frozenset[str]
    readers: frozenset[str]
    #: Properties of an array that are known without its data.
    layout: frozenset[str]
    #: Control flow operators such as cond: the trace runs all of their functions, an eager run only one.
    runs_all: frozenset[str]
    #: Control flow operators such as foreach: the trace runs their function once, an eager run once per step.
    runs_once: frozenset[str]
    #: Functions that seed the library's own generator.
    seeds: frozenset[str]
    #: Functions that query a mode of the library, each with the scopes in which the answer is always the same.
    modes: Mapping[str, frozenset[str]]
    #: The arguments of a scope that set the mode inside: given the mode around them, they change nothing.
    modes_given: Callable[[ast.Call], Sequence[ast.expr]]
    #: Functions that say where arrays are made, which depends on the inputs of a call.
    places: frozenset[str]
    #: Prefixes of the library's functions in Python that work on arrays, and functions that return a setting.
    needs_arrays: tuple[str, ...]
    settings: frozenset[str]
