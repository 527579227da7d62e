"""Stores in code: the places that it assigns, or changes by a method such as ``append``; nothing runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from hybridlint.proving.child.changes.mutability import changing_functions, mutators
from hybridlint.proving.child.changes.source_nodes import DEFINITIONS, LOOPS, assigned_names, is_self, last_name, traces

Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"


def parse_stores(text: str) -> ast.Module:
    """Return the tree of a source in which ``setattr(x, "a", v)`` and ``vars(x)["a"] = v`` store the attribute `a`."""
    tree: ast.Module = _Spelled().visit(ast.parse(text))
    return tree


def targets(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that code assigns, or changes by a call such as ``x.append(...)`` or ``shuffle(x)``."""
    for inner in ast.walk(node):
        if isinstance(getattr(inner, "ctx", None), ast.Store) and isinstance(inner, ast.expr):
            yield inner
        elif isinstance(inner, ast.Call):
            name = last_name(inner.func)
            if isinstance(inner.func, ast.Attribute) and (name in mutators() or name == "register_child"):
                yield inner.func.value
            if inner.args and name in changing_functions():
                yield inner.args[0]


def built_names(function: ast.AST) -> set[str]:
    """Return the names that a function assigns the result of a call: objects that it may still be setting up."""
    made = (node for node in ast.walk(function) if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call))
    return {name for node in made for name in assigned_names(node)}


def loop_nodes(function: ast.AST) -> set[int]:
    """Return the `id` of each node within a loop of a function."""
    return {id(node) for loop in ast.walk(function) if isinstance(loop, LOOPS) for node in ast.walk(loop)}


def traces_anew(node: ast.AST, methods: Mapping[str, Definition] | None = None) -> bool:
    """Whether code makes the next call trace again, itself or in one of the `methods` that it calls on `self`."""
    return any(traces(function) for function in reachable_code([node], methods or {}))


def reachable_code(
    begun: Iterable[ast.AST], methods: Mapping[str, Definition], functions: Mapping[str, Definition] | None = None
) -> list[ast.AST]:
    """Return the given code with all that it leads to: `methods` read of its `self`, and `functions` by their names."""
    pending = list(begun)
    found: list[ast.AST] = []
    while pending:
        function = pending.pop()
        if function in found:
            continue
        found.append(function)
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and is_self(node.value, function):
                stored = isinstance(node.ctx, ast.Store)
                pending += [methods[name] for name in [f"{node.attr} =" if stored else node.attr] if name in methods]
            elif functions and isinstance(node, ast.Name) and node.id in functions:
                pending.append(functions[node.id])
    return found


def methods_of(name: str, classes: Mapping[str, ast.ClassDef]) -> dict[str, Definition]:
    """Return the methods of one of the `classes`, including those inherited from others; a setter as ``name =``."""
    node = classes[name]
    bases = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id != name]
    found: dict[str, Definition] = {}
    for base in reversed([base for base in bases if base in classes]):
        found.update(methods_of(base, classes))
    for child in node.body:
        if isinstance(child, DEFINITIONS):
            # A property and its setter have the same name.
            found[f"{child.name} =" if _is_setter(child) else child.name] = child
    return found


def required_arguments(function: Definition) -> list[str] | None:
    """Return the names of a method's required arguments, after `self`; None if a plain call cannot give them all."""
    if (function.decorator_list and not is_class_method(function)) or None in function.args.kw_defaults:
        return None
    names = [argument.arg for argument in function.args.args]
    return names[1 : len(names) - len(function.args.defaults)]


def is_class_method(function: Definition) -> bool:
    """Whether a method gets the class in place of an object."""
    return [getattr(node, "id", "") for node in function.decorator_list] == ["classmethod"]


def dunder(name: str) -> bool:
    """Whether a name is one that Python itself uses."""
    return name.startswith("__") and name.endswith("__")


def key(node: ast.AST) -> str | None:
    """Return the text that a subscript consists of, None for any other subscript."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def named_at_will(function: Definition, tree: ast.AST) -> Iterator[tuple[ast.expr, list[str]]]:
    """Yield the object of each ``setattr(x, name, value)`` of a function whose name is not a literal.

    With it come the names that calls of the function in `tree` give as keywords for its ``**settings``.
    """
    if function.args.kwarg is None:
        return
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and last_name(node.func) == function.name)
    plain = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}
    given = {keyword.arg for call in calls for keyword in call.keywords if keyword.arg} - plain
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and _is_setattr(node.func) and len(node.args) == 3 and key(node.args[1]) is None:
            yield node.args[0], sorted(given)


class _Spelled(ast.NodeTransformer):
    """Spells stores of attributes by name as ordinary stores."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Make the first argument of ``setattr`` the attribute that it stores."""
        self.generic_visit(node)
        name = key(node.args[1]) if _is_setattr(node.func) and len(node.args) == 3 else None
        if name is not None:
            stored = ast.copy_location(ast.Attribute(value=node.args[0], attr=name, ctx=ast.Store()), node)
            node.args[0] = stored
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Replace an item of an object's dictionary by the attribute."""
        self.generic_visit(node)
        owner, name = _owner(node.value), key(node.slice)
        if owner is None or name is None:
            return node
        return ast.copy_location(ast.Attribute(value=owner, attr=name, ctx=node.ctx), node)


def _is_setattr(function: ast.expr) -> bool:
    return getattr(function, "id", "") == "setattr" or getattr(function, "attr", "") == "__setattr__"


def _owner(node: ast.expr) -> ast.expr | None:
    """Return the object whose dictionary an expression is."""
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        return node.value
    called = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "vars" and len(node.args) == 1
    return node.args[0] if isinstance(node, ast.Call) and called else None


def _is_setter(function: Definition) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr == "setter" for node in function.decorator_list)
