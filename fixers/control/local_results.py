"""Fixers of results that a block stores on itself and reads back at once: a local variable holds them too."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import SideEffect
from hybridlint.fixers.toolkit.names import class_around, classes_in
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import join_fixes, replace_statements
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import is_own, walk


def read_locally(event: SideEffect) -> Fix | None:
    """Write ``self.a = f(x)`` and later reads of ``self.a`` as ``a = self.a = f(x)`` and reads of `a`.

    The attribute keeps what it kept, and nothing in the graph depends on it. None if anything else in the file reads or
    stores the attribute.
    """
    frame, statement = event.frame, event.frame.statement
    function, name = frame.function, event.target.removeprefix("self.")
    if event.carried or event.kind != "attribute" or not isinstance(function, ast.FunctionDef):
        return None
    match statement:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=attribute) as target], value=value):
            pass
        case _:
            return None
    inside = {id(n) for n in walk(function)}
    uses = [n for n in _uses(event, name) if n is not target]
    if attribute != name or statement not in function.body or not uses or _is_named_otherwise(event, name):
        return None
    after = statement.end_lineno or statement.lineno
    if any(id(n) not in inside or not isinstance(n.ctx, ast.Load) or n.lineno <= after for n in uses):
        return None
    if any(ast.unparse(n) != event.target for n in uses) or _is_taken(function, name):
        return None
    new = statements("{name} = self.{name} = {value}", name=name, value=frame.concrete(value))
    message = f"Compute with a local `{name}`"
    reads = [rewrite(frame, n, expression("{name}", name=name), Applicability.SAFE) for n in uses]
    return join_fixes(message, [replace_statements(frame, statement, new, Applicability.SAFE, message=message), *reads])


def _uses(event: SideEffect, name: str) -> list[ast.Attribute]:
    """Return the attributes of a name in the file, except those of ``self`` in classes of another descent."""
    own, classes = class_around(event.frame), classes_in(event.frame.source)
    related = _related(own, classes)
    apart = {id(n) for owner in classes if owner not in related for n in walk(owner) if is_own(n)}
    nodes = (n for n in walk(event.frame.source.tree) if isinstance(n, ast.Attribute) and n.attr == name)
    return [n for n in nodes if id(n) not in apart]


def _related(own: ast.ClassDef | None, classes: Sequence[ast.ClassDef]) -> set[ast.ClassDef]:
    """Return a class with its ancestors and descendants, and theirs in turn, matched by the names of bases."""
    found = set(classes) if own is None else {own}
    bases = {owner: {ast.unparse(base).rpartition(".")[2] for base in owner.bases} for owner in classes}
    size = 0
    while len(found) > size:
        size = len(found)
        names = {owner.name for owner in found}
        above = {base for owner in found for base in bases.get(owner, ())}
        found |= {owner for owner in classes if owner.name in above or bases[owner] & names}
    return found


def _is_taken(function: ast.FunctionDef, name: str) -> bool:
    """Whether a function uses a name, or has inner functions, which might."""
    parts = [n for n in walk(function) if n is not function]
    inner = any(isinstance(n, ast.FunctionDef | ast.Lambda | ast.ClassDef) for n in parts)
    return inner or any(
        (isinstance(n, ast.Name) and n.id == name) or (isinstance(n, ast.arg) and n.arg == name) for n in parts
    )


def _is_named_otherwise(event: SideEffect, name: str) -> bool:
    """Whether the class defines the name, as a property would, or the file reads it by a string."""
    owner = class_around(event.frame)
    methods = () if owner is None else (n for n in owner.body if isinstance(n, ast.FunctionDef))
    texts = (n for n in walk(event.frame.source.tree) if isinstance(n, ast.Constant))
    return owner is None or any(m.name == name for m in methods) or any(t.value == name for t in texts)
