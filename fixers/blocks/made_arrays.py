"""How the constructor of a block makes an array of its own, and how it registers that as a constant."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import Frame
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import inserted
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import each, walk


@record(frozen=True, slots=True)
class Making:
    """The only assignment of an attribute, in `__init__`, and the statements behind it that write into the array.

    `filled` are the places where these name the attribute, ``self.c[0] = 1``.
    """

    init: ast.FunctionDef
    made: ast.Assign
    filled: tuple[ast.Attribute, ...]

    @property
    def own(self) -> frozenset[int]:
        """The ids of all nodes of `__init__` that name the attribute."""
        return frozenset(map(id, (self.made.targets[0], *self.filled)))

    @property
    def complete(self) -> ast.stmt:
        """The statement of the constructor after which the array is complete."""
        inside = set(map(id, self.filled))
        last = [part for part in self.init.body if any(id(n) in inside for n in walk(part))]
        return last[-1] if last else self.made


def making(owner: ast.ClassDef, name: str) -> Making | None:
    """Return how `__init__` makes the array of ``self.c``; None if it does not make it, or uses it otherwise."""
    init = next((n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    if init is None:
        return None
    uses = [n for n in each(init, ast.Attribute) if n.attr == name and _is_own(n)]
    found = [n for n in each(init, ast.Assign) if any(target in uses for target in n.targets)]
    if len(found) != 1 or len(found[0].targets) != 1 or not _is_made(found[0].value, init):
        return None
    filled = tuple(n for n in uses if n is not found[0].targets[0])
    stores = [n for n in each(init, ast.Subscript) if n.value in filled and isinstance(n.ctx, ast.Store)]
    if filled and (len(stores) < len(filled) or found[0] not in init.body or _binds(init, name)):
        return None
    return Making(init, found[0], filled)


def registered(frame: Frame, making: Making, name: str, *, message: str) -> list[Fix | None]:
    """Return the fixes that register the array: where it is made, or once it is filled, by a name until then."""
    template, key = "self.params.get_constant({key}, {value})", cst.SimpleString(f'"{name}"')
    if not making.filled:
        value = frame.concrete(making.made.value)
        return [rewrite(frame, making.made.value, expression(template, key=key, value=value), Applicability.UNSAFE)]
    local = [making.made.targets[0], *making.filled]
    kept = statements(f"self.{{name}} = {template}", name=name, key=key, value=name)
    return [
        *(rewrite(frame, node, cst.Name(name), Applicability.UNSAFE) for node in local),
        inserted(frame, kept, Applicability.UNSAFE, message=message, after=making.complete),
    ]


def _is_own(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _is_made(value: ast.expr, init: ast.FunctionDef) -> bool:
    """Whether an expression is a call, arithmetic with one (``nd.array(means) * 255``), or a name of such a value."""
    match value:
        case ast.BinOp(left=left, right=right):
            return _is_made(left, init) or _is_made(right, init)
        case ast.UnaryOp(operand=operand):
            return _is_made(operand, init)
        case ast.Name(id=name):
            bound = [n for n in each(init, ast.Assign) for target in n.targets if _names(target, name)]
            return len(bound) == 1 and not isinstance(bound[0].value, ast.Name) and _is_made(bound[0].value, init)
    return isinstance(value, ast.Call)


def _names(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Name) and target.id == name


def _binds(init: ast.FunctionDef, name: str) -> bool:
    """Whether the constructor has a name of its own that is that of the attribute."""
    return any(n.id == name for n in each(init, ast.Name)) or any(n.arg == name for n in each(init, ast.arg))
