"""Settings that are surely numbers: a constructor computes them from numbers and from sizes of layers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.dataflow.function_flow import flow_of
from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.toolkit.class_hierarchy import constructor_of
from hybridlint.fixers.toolkit.names import class_around, dotted_parts
from hybridlint.runtime.facts.abstract.layers import layer_of_any
from hybridlint.text.parameters import defaults_of, names_of
from hybridlint.text.syntax import is_stored, walk

#: The longest chain of settings that is followed.
_DEEPEST = 10

#: Builtins that return a number, whatever they are given.
_CONVERSIONS = frozenset({"int", "float", "len"})


def keeps_number(frame: CodeContext, node: ast.expr) -> bool:
    """Return whether an attribute ``self.scale`` surely holds a number.

    The class stores it in ``__init__`` alone, as arithmetic on numbers: literals, arguments whose defaults are numbers,
    and arguments that a Gluon layer takes too, ``Dense(dim * 3)``, which takes no array there.
    """
    owner = class_around(frame)
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=name) if owner is not None:
            return _Constructor(frame.source.tree, owner).keeps_number(name)
    return False


class _Constructor:
    """The constructor of a class, and the stores on its blocks."""

    def __init__(self, tree: ast.AST, owner: ast.ClassDef) -> None:
        self._function = constructor_of(owner)
        self._tree = tree

    def keeps_number(self, name: str, depth: int = 0) -> bool:
        """Return whether an attribute holds a number from the constructor on."""
        inside = [*walk(self._function)] if self._function is not None else []
        stores = [n for n in walk(self._tree) if _is_store(n, name)]
        made = [n.value for n in inside if isinstance(n, ast.Assign) and any(t in stores for t in n.targets)]
        plain = bool(stores) and len(made) == len(stores)
        return plain and all(self._is_number(value, depth + 1) for value in made)

    def _is_number(self, node: ast.expr, depth: int) -> bool:
        if depth > _DEEPEST:
            return False
        parts: list[ast.expr] = []
        match node:
            case ast.Constant(value=value):
                return isinstance(value, int | float) and not isinstance(value, bool)
            case ast.Call(func=func):
                path = dotted_parts(func) or ("",)
                return (len(path) == 1 and path[0] in _CONVERSIONS) or (len(path) == 2 and path[0] == "math")
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return self.keeps_number(name, depth + 1)
            case ast.Name(id=name):
                return self._is_given_number(name)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                parts = [inner]
            case ast.BinOp(left=left, right=right):
                parts = [left, right]
        return bool(parts) and all(self._is_number(part, depth + 1) for part in parts)

    def _is_given_number(self, name: str) -> bool:
        """Return whether an argument of the constructor, which it does not bind anew, is surely a number."""
        function = self._function
        if function is None or flow_of(function).rebindings_of(name):
            return False
        default = defaults_of(function.args).get(name)
        known = default is not None and self._is_number(default, _DEEPEST)
        return name in names_of(function.args) and (known or any(part.id == name for part in self._sizes()))

    def _sizes(self) -> Iterator[ast.Name]:
        """Yield the names in the arguments of Gluon's layers, by themselves or in arithmetic."""
        for node in walk(self._function or ast.Pass()):
            if isinstance(node, ast.Call) and layer_of_any((dotted_parts(node.func) or ("",))[-1]) is not None:
                for given in (*node.args, *(k.value for k in node.keywords)):
                    yield from _operands(given)


def _operands(node: ast.expr) -> Iterator[ast.Name]:
    match node:
        case ast.Name():
            yield node
        case ast.BinOp(left=left, right=right):
            yield from _operands(left)
            yield from _operands(right)


def _is_store(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == name and is_stored(node)
