"""The functions of a file that need F if one of them gets it, and the calls that pass it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import lru_cache

from hybridlint.analysis.mxnet.classes import CALLED_BY_BLOCKS
from hybridlint.analysis.mxnet.operators.unreached_calls import FUNCTIONS
from hybridlint.fixers.toolkit.class_hierarchy import heirs_of, lineage_of, methods_of
from hybridlint.fixers.toolkit.names import classes_in, dotted_parts
from hybridlint.runtime.facts.records import record
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import children, walk

#: Most functions that one fix gives the parameter to.
_MOST = 4


@record()
class HelperFunctions:
    """The functions and methods of a file, and how they call each other."""

    source: SourceFile
    _around: dict[ast.AST, ast.AST] = field(default_factory=dict)
    _classes: tuple[ast.ClassDef, ...] = ()

    def __post_init__(self) -> None:
        self._classes = classes_in(self.source)
        self._around = {child: node for node in walk(self.source.tree) for child in children(node)}

    def gets_self(self, function: ast.FunctionDef) -> bool:
        """Whether a function is a method that gets its object as the first argument."""
        return isinstance(self._around.get(function), ast.ClassDef) and not function.decorator_list

    def names(self, functions: Iterable[ast.FunctionDef]) -> set[str]:
        """Return the names of functions, and of the classes whose methods they are."""
        owners = {place.name for one in functions if isinstance(place := self._around.get(one), ast.ClassDef)}
        return owners | {one.name for one in functions}

    def reached(self, function: ast.FunctionDef) -> dict[ast.FunctionDef, list[ast.Call]] | None:
        """Return the functions that need the parameter if one gets it (itself, callers without F), with their calls.

        None if one of them cannot get it.
        """
        reached: dict[ast.FunctionDef, list[ast.Call]] = {}
        for one in (waiting := [function]):
            namesakes = self._namesakes(one)
            calls = self.uses(one) if self._may_take(one) and len(waiting) <= _MOST else None
            callers = [self.caller(call) for call in calls or ()]
            alike = all(takes_last(other) == takes_last(one) for other in namesakes)
            if not calls or None in callers or not alike:
                return None
            taken = {call for each in reached.values() for call in each}
            reached[one] = [call for call in calls if call not in taken]
            needed = [c for c in dict.fromkeys(callers) if c and not _has_functions(c)]
            waiting += [c for c in (*namesakes, *needed) if c not in waiting]
        return reached

    def _may_take(self, function: ast.FunctionDef) -> bool:
        """Whether a function may get another parameter called F."""
        place, decorators = self._around.get(function), [*map(dotted_parts, function.decorator_list)]
        plain = isinstance(place, ast.Module) and not decorators
        if isinstance(place, ast.ClassDef):
            plain = decorators == [("staticmethod",)] or (not decorators and bool(function.args.args))
        used = any(isinstance(node, ast.Name) and node.id == FUNCTIONS for node in walk(function))
        called = function.name in CALLED_BY_BLOCKS
        return plain and not (used or called or function.args.posonlyargs)

    def _namesakes(self, function: ast.FunctionDef) -> list[ast.FunctionDef]:
        """Return the methods that override a method, or that it overrides."""
        found = (method for owner in self._family(function) for method in owner.body)
        return [m for m in found if isinstance(m, ast.FunctionDef) and m.name == function.name and m is not function]

    def has_namesakes(self, function: ast.FunctionDef) -> bool:
        """Whether methods override a method, or it overrides others."""
        return bool(self._namesakes(function))

    def _family(self, function: ast.FunctionDef) -> list[ast.ClassDef]:
        """Return the classes of the file whose objects may have a method, none for a function of the module.

        These are its class, those that inherit from it, and all that any of these inherits from.
        """
        place = self._around.get(function)
        if not isinstance(place, ast.ClassDef):
            return []
        heirs = heirs_of(place, self._classes)
        return [*dict.fromkeys(one for heir in heirs for one in lineage_of(heir, self._classes))]

    def uses(self, function: ast.FunctionDef) -> list[ast.Call] | None:
        """Return the calls of a function; None if its name is used in another way, or for something else."""
        found: list[ast.Call] = []
        family, namesakes = self._family(function), self._namesakes(function)
        for node in walk(self.source.tree):
            if not _names(node, function) or node in namesakes or (family and self._is_of_others(node, family)):
                continue
            call = self._around.get(node)
            if not isinstance(call, ast.Call) or call.func is not node or not self._is_own(call, function, family):
                return None
            found.append(call)
        return found

    def _is_own(self, call: ast.Call, function: ast.FunctionDef, family: list[ast.ClassDef]) -> bool:
        """Whether a call by a function's name calls this function, by its module name or on its object."""
        if not family:
            return dotted_parts(call.func) == (function.name,)
        match call.func:
            case ast.Attribute(value=ast.Name(id="self") | ast.Call(func=ast.Name(id="super"))):
                return any(one in family for one in self._outer(call))
            case ast.Attribute(value=ast.Name(id=name)):
                # Without an object, as static methods are called.
                return bool(function.decorator_list) and any(one.name == name for one in family)
            case _:
                return False

    def _is_of_others(self, node: ast.AST, family: list[ast.ClassDef]) -> bool:
        """Whether a node is a method of a class outside of the family, or names such a method on `self`."""
        owner = next((one for one in self._outer(node) if isinstance(one, ast.ClassDef)), None)
        if owner is None or owner in family:
            return False
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return name in methods_of(self.source.tree, owner)
            case ast.FunctionDef():
                return self._around.get(node) is owner
            case _:
                return False

    def caller(self, call: ast.Call) -> ast.FunctionDef | None:
        """Return the function of the module, or method, that makes a call; None outside of functions."""
        outer = [node for node in self._outer(call) if isinstance(node, ast.FunctionDef)]
        inner = outer[:-1]
        if any(isinstance(n, ast.arg) and n.arg == FUNCTIONS for one in inner for n in walk(one)):
            return None
        return outer[-1] if outer else None

    def _outer(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield everything around a node, innermost first."""
        here = self._around.get(node)
        while here is not None:
            yield here
            here = self._around.get(here)


@lru_cache(maxsize=1)
def helpers_in(source: SourceFile) -> HelperFunctions:
    """Return the functions of a file. Those of the last file are cached: many findings ask for them."""
    return HelperFunctions(source)


def is_private(function: ast.FunctionDef) -> bool:
    """Whether a function is meant for its own file alone."""
    return function.name.startswith("_")


def takes_last(function: ast.FunctionDef) -> bool:
    """Return whether a function takes F as its last parameter, with a default that suits callers elsewhere."""
    spec = function.args
    return not (is_private(function) or spec.vararg or spec.kwonlyargs or spec.kwarg)


def _has_functions(function: ast.FunctionDef) -> bool:
    return any(argument.arg == FUNCTIONS for argument in function.args.args)


def _names(node: ast.AST, function: ast.FunctionDef) -> bool:
    """Whether a node uses or binds the name of a function, except its definition."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name) | ast.arg(arg=name):
            return name == function.name
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name == function.name and node is not function
        case ast.Constant(value=str() as text):
            return text == function.name
        case _:
            return False
