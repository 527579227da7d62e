"""Changes of the objects that a block holds: methods of their own classes, and stores in the module.

They are found in the source.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from hybridlint.proving.brief.stores import (
    Definition,
    built_names,
    dunder,
    key,
    loop_nodes,
    methods_of,
    reachable_code,
    required_arguments,
    targets,
    traces_anew,
)
from hybridlint.proving.child.brief.changes import ExternalStore, MutatorMethod
from hybridlint.proving.child.changes.source_nodes import DEFINITIONS, is_first, is_self, last_name
from hybridlint.proving.child.word_tables import words

#: Methods that Python calls while it makes, copies or shows an object, or that undo a change; none comes from them.
MAKING = words(
    """
    __init__ __new__ __post_init__ __init_subclass__ __set_name__ __setstate__ __getstate__ __copy__ __deepcopy__
    __reduce__ __repr__ __str__ __eq__ __hash__ __del__ __exit__
    """
)
#: Special methods that code calls without arguments of a special kind.
_CALLED = frozenset(["__call__", "__enter__", "__next__"])


class Mutators:
    """Finds what changes the objects of one module's classes in its syntax tree."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}

    def ways(self, name: str) -> list[MutatorMethod]:
        """Return the methods of the class `name` that change an object once it is made."""
        if name not in self._classes:
            return []
        methods = methods_of(name, self._classes)
        inner = {other for function in methods.values() for other in _read_of_self(function) if other in methods}
        found = []
        for method, function in methods.items():
            if method in MAKING or (method.startswith("_") and not dunder(method) and method in inner):
                continue
            changed = frozenset(_changed(function, methods))
            if not changed or traces_anew(function, methods) or self._builds(method, methods):
                continue
            found.append(MutatorMethod(method, changed, _given(method, function)))
        return found

    def stores(self) -> list[ExternalStore]:
        """Return the stores of all functions and loops of the module into what is not their own object."""
        return list(dict.fromkeys(self._found()))

    def of_one(self, attribute: str) -> bool:
        """Whether only one class of the module has an attribute."""
        return sum(attribute in _attributes(node) for node in self._classes.values()) == 1

    def _builds(self, method: str, own: Mapping[str, Definition]) -> bool:
        """Whether all calls of a method in the module still set the object up."""
        mine = {id(node) for function in own.values() for node in ast.walk(function)}
        calls = [
            (function, node)
            for function in self._functions()
            for node in ast.walk(function)
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == method and id(node) not in mine
        ]
        return bool(calls) and all(self._is_setting_up(node, function) for function, node in calls)

    def _is_setting_up(self, call: ast.Call, function: ast.AST) -> bool:
        """Whether a method is called before code uses the object: in a constructor, or before it is handed over."""
        if getattr(function, "name", "") in MAKING or _begin(call) in self._classes:
            return True
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(owner, ast.Name) or owner.id not in built_names(function):
            return False
        others = (node for node in ast.walk(function) if isinstance(node, ast.Call) and node is not call)
        given = [
            node.lineno
            for node in others
            for argument in (*node.args, *(keyword.value for keyword in node.keywords))
            if isinstance(argument, ast.Name) and argument.id == owner.id
        ]
        return all(call.lineno < row for row in given)

    def _functions(self) -> Iterator[ast.AST]:
        """Yield the functions and methods of the module, each with those inside of it, and its other code."""
        bodies = [self._tree.body, *(node.body for node in self._classes.values())]
        yield from (child for body in bodies for child in body if isinstance(child, DEFINITIONS))
        rest = [child for child in self._tree.body if not isinstance(child, (*DEFINITIONS, ast.ClassDef))]
        yield ast.Module(body=rest, type_ignores=[])

    def _found(self) -> Iterator[ExternalStore]:
        for function in self._functions():
            if getattr(function, "name", "") in MAKING or traces_anew(function):
                continue
            made, repeated = built_names(function), loop_nodes(function)
            script = isinstance(function, ast.Module)
            for node in targets(function):
                store = _store(node, function)
                # An object built in the same function is still being set up there, except in a loop.
                if store is not None and (id(node) in repeated or not (script or store.owner in made)):
                    yield store


def _given(method: str, function: Definition) -> tuple[str, ...] | None:
    names = required_arguments(function)
    if names is None or (dunder(method) and method not in _CALLED):
        return None
    known = {node.id for part in _deciding(function) for node in ast.walk(part) if isinstance(node, ast.Name)}
    return tuple(names) if all(name in known for name in names) else None


def _deciding(function: Definition) -> Iterator[ast.expr]:
    """Yield the expressions whose values a method stores, decides by, or gives to another method of its object."""
    for node in ast.walk(function):
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            yield node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_self(node.func.value, function):
            yield from node.args
        elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
            yield node.test


def _changed(function: Definition, methods: Mapping[str, Definition]) -> Iterator[str]:
    """Yield the attributes of its own object that a method changes, itself or by the methods that it calls."""
    for part in reachable_code([function], methods):
        for node in targets(part):
            yield from _own(node, part)


def _own(node: ast.expr, function: ast.AST) -> Iterator[str]:
    """Yield the attribute of `self`, or of a class method's class, that a target is or is part of."""
    inner: ast.expr = node
    while isinstance(inner, (ast.Attribute, ast.Subscript)):
        if isinstance(inner, ast.Attribute) and is_first(inner.value, function) and _is_object(inner.value):
            yield inner.attr
        inner = inner.value


def _is_object(node: ast.expr) -> bool:
    return getattr(node, "id", "") in ("self", "cls")


def _read_of_self(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and is_first(node.value, function):
            yield node.attr


def _begin(call: ast.Call) -> str:
    """Return the first callee of a chain such as ``Options().widen(4).deepen(1)``, "" without a first call."""
    inner: ast.expr = call
    while isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
        inner = inner.func.value
    return getattr(inner.func, "id", "") if isinstance(inner, ast.Call) else ""


def _store(node: ast.expr, function: ast.AST) -> ExternalStore | None:
    """Return the store of a target outside of the object's class; None for own attributes and plain names."""
    if isinstance(node, ast.Attribute):
        own = is_first(node.value, function) and _is_object(node.value)
        return None if own else ExternalStore(last_name(node.value), node.attr)
    if isinstance(node, ast.Subscript):
        name = key(node.slice)
        return None if name is None else ExternalStore(last_name(node.value), name, item=True)
    return None


def _attributes(node: ast.ClassDef) -> Collection[str]:
    """Return the attributes of a class: from its body, and from the stores of its methods."""
    found = {name.id for child in node.body for name in _named(child)}
    for function in (child for child in node.body if isinstance(child, DEFINITIONS)):
        found.update(name for target in targets(function) for name in _own(target, function))
    return found


def _named(child: ast.stmt) -> Iterator[ast.Name]:
    kept = (
        child.targets if isinstance(child, ast.Assign) else [child.target] if isinstance(child, ast.AnnAssign) else []
    )
    yield from (node for node in kept if isinstance(node, ast.Name))
